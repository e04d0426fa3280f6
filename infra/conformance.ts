import { readCommandLine, refuseCommandLine } from '@keydesk/testing';
import { startDeployment } from './conformance/deployment.ts';
import { createSurroundings, type Plan } from './conformance/plan.ts';
import { plans } from './conformance/plans.ts';
import { createSuite, type Outcome } from './conformance/suite.ts';

const usage = `Usage: npm run -s conformance -- [--suite URL] [--module NAME] PLAN…

Runs plans of a conformance suite that is up on this machine against both apps, which it starts (docs/conformance.md).
Exit code 1: a module failed or came to no end.

Plans: ${Object.keys(plans).join(', ')}`;
const { values: options, positionals: names } = readCommandLine(usage, {
  allowPositionals: true,
  options: {
    suite: { type: 'string', default: 'https://localhost.emobix.co.uk:8443' },
    module: { type: 'string' },
  },
});
const ports = { auth: 3100, api: 3101 };
const suite = createSuite(options.suite);

if (names.length === 0) refuseCommandLine('Which plans?');
const asked = names.map((name) => ({
  name,
  plan: plans[name] ?? refuseCommandLine(`There is no plan ${name}.`),
}));
console.log(`Conformance suite ${await suite.version().catch(refuseSuite)}`);
for (const each of asked) await run(each);

function refuseSuite(err: Error): never {
  const reason = err.cause instanceof Error ? err.cause.message : err.message;
  return refuseCommandLine(`No suite answers at ${options.suite}: ${reason}.`);
}

async function run({ name, plan }: { name: string; plan: Plan }): Promise<void> {
  const counts = await runPlan(plan);
  const summary = Object.entries(counts).map(([result, count]) => `${count} ${result.toLowerCase()}`);
  console.log(`${name}: ${summary.join(', ')}\n`);
  if (counts.FAILED || counts.UNFINISHED) process.exitCode = 1;
}

/** Resolves with how many modules ended how. */
async function runPlan({ settings, request }: Plan): Promise<Record<string, number>> {
  const deployment = await startDeployment(settings, ports);
  const counts: Record<string, number> = {};
  // The apps are in process groups of their own, which a Ctrl-C does not reach.
  const giveUp = () => void deployment.stop().finally(() => process.exit(1));
  process.once('SIGINT', giveUp);
  try {
    const requested = await request(createSurroundings(deployment, options.suite));
    for await (const outcome of suite.run(requested, options.module)) {
      counts[outcome.result] = (counts[outcome.result] ?? 0) + 1;
      print(outcome);
    }
  } finally {
    process.off('SIGINT', giveUp);
    await deployment.stop();
  }
  return counts;
}

function print({ module, result, remarks, log }: Outcome): void {
  console.log(`${result.padEnd(10)} ${module}`);
  if (result === 'PASSED') return;
  for (const line of [...remarks, log]) console.log(`           ${line}`);
}
