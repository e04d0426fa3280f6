import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, readCount, refuseCommandLine } from '@keydesk/testing';
import { installGoProgram } from './go-program.ts';
import { type DeploymentName, deployments, startDeployment } from './load/deployments.ts';
import { kinds, runStage, type StageFigures } from './load/k6.ts';
import { createWorld } from './load/world.ts';

const usage = `Usage: npm run load -- [--deployments NAME,…] [--rates 1,2,4,8] [--seconds 20]

Sends a mixture of sign-ins, refreshes, tokens of machines, inboxes of agents and new tickets at rising rates, while 20
feeds are held open, and prints requests per second and the 99th percentile by kind. The knee is the highest rate that
is served whole: nothing fails, nothing has to wait for a free connection, and p99 of the inboxes stays below a second.
At rate 1 each second has 0.25 sign-ins, 2 refreshes, 2 tokens, 8 inboxes and 2 new tickets.

Deployments: ${Object.keys(deployments).join(', ')}. k6 runs beside the servers, so that figures of one run are
comparable only. Needs Go to build k6 once, and HAProxy.`;

const K6 = { name: 'k6', version: 'v1.3.0', module: 'go.k6.io/k6' };
const KNEE_P99_MS = 1_000;

const { values: options } = readCommandLine(usage, {
  options: {
    deployments: { type: 'string', default: Object.keys(deployments).join(',') },
    rates: { type: 'string', default: '1,2,4,8' },
    seconds: { type: 'string', default: '20' },
  },
});
const seconds = readCount('--seconds', options.seconds);
const rates = options.rates.split(',').map((rate) => readCount('--rates', rate));
const names = options.deployments.split(',');
for (const name of names) if (!isDeployment(name)) refuseCommandLine(`Unknown deployment ${name}.`);

const program = await installGoProgram(K6);
console.log(
  ['deployment', 'rate', 'requests/s', ...kinds.map((kind) => `p99 ${kind}, ms`), 'whole'].join('  '),
);
for (const name of names.filter(isDeployment)) await measure(name);

function isDeployment(name: string): name is DeploymentName {
  return name in deployments;
}

async function measure(name: DeploymentName): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-load-'));
  await using started = new AsyncDisposableStack();
  started.defer(() => rmSync(folder, { recursive: true }));
  const world = await createWorld(await startDeployment(name, { folder, started }));
  let knee: StageFigures | undefined;
  for (const rate of rates) {
    const stage = await runStage(program, { world, rate, seconds, folder });
    if (isWhole(stage)) knee = stage;
    const figures = stage.kinds.map(({ p99Ms }) => p99Ms.toFixed(0));
    const columns = [
      name,
      rate,
      stage.requestsPerSecond.toFixed(0),
      ...figures,
      isWhole(stage) ? 'yes' : why(stage),
    ];
    console.log(columns.join('  '));
    if (!isWhole(stage)) break;
  }
  console.log(
    `knee of ${name}: ${knee ? `${knee.requestsPerSecond.toFixed(0)} requests/s` : 'below the first rate'}`,
  );
}

function isWhole(stage: StageFigures): boolean {
  return why(stage) === '';
}

/** Returns what keeps a rate from being served whole. */
function why({ dropped, kinds: figures }: StageFigures): string {
  const failing = figures.filter(({ succeeded }) => succeeded < 1).map(({ kind }) => `${kind} fails`);
  const inbox = figures.find(({ kind }) => kind === 'inbox');
  const slow = (inbox?.p99Ms ?? 0) >= KNEE_P99_MS ? ['inbox is slow'] : [];
  return [...(dropped > 0 ? [`${dropped} not begun`] : []), ...failing, ...slow].join(', ');
}
