import { readCommandLine, refuseCommandLine } from '@keydesk/testing';
import { startDeployment } from './conformance/deployment.ts';
import expectedResults from './conformance/expected-results.json' with { type: 'json' };
import { type ExpectedResultsFile, findDifferences } from './conformance/expected-results.ts';
import { createSurroundings, type Plan } from './conformance/plan.ts';
import { plans } from './conformance/plans.ts';
import { createSuite, type Outcome } from './conformance/suite.ts';

const usage = `Usage: npm run -s conformance -- [--suite URL] [--module NAME] PLAN…

Starts both apps and runs plans of a local conformance suite against them (docs/conformance/running.md).
Exits with 1 when a result differs from tools/conformance/expected-results.json, which omits PASSED.

  --suite URL    address of the suite (default: https://localhost.emobix.co.uk:8443)
  --module NAME  run only modules whose names end in NAME

Plans: ${Object.keys(plans).join(', ')}`;
const { values: options, positionals: names } = readCommandLine(usage, {
  allowPositionals: true,
  options: {
    suite: { type: 'string', default: 'https://localhost.emobix.co.uk:8443' },
    module: { type: 'string' },
  },
});
const expected: ExpectedResultsFile = expectedResults;
const suite = createSuite(options.suite);

if (names.length === 0) refuseCommandLine('Name at least one plan.');
const asked = names.map((name) => ({
  name,
  plan: plans[name] ?? refuseCommandLine(`Unknown plan "${name}".`),
}));
console.log(`Conformance suite ${await suite.version().catch(refuseSuite)}`);
try {
  for (const each of asked) await run(each);
} catch (err) {
  console.error(err instanceof Error ? err.message : err);
  process.exitCode = 1;
}

function refuseSuite(err: Error): never {
  const reason = err.cause instanceof Error ? err.cause.message : err.message;
  return refuseCommandLine(`No suite responds at ${options.suite}: ${reason}.`);
}

async function run({ name, plan }: { name: string; plan: Plan }): Promise<void> {
  const outcomes = await runPlan(plan);
  const counts = Object.entries(Object.groupBy(outcomes, ({ result }) => result));
  const summary = counts.map(([result, all]) => `${all?.length} ${result.toLowerCase()}`);
  const differences = findDifferences(outcomes, expected[name] ?? {}, options.module === undefined);
  console.log(`${name}: ${summary.join(', ')}${differences.length === 0 ? ', as expected' : ''}`);
  for (const difference of differences) console.error(`DIFFERENCE ${difference}`);
  console.log();
  if (differences.length > 0) process.exitCode = 1;
}

async function runPlan({ settings, request }: Plan): Promise<Outcome[]> {
  const deployment = await startDeployment(settings);
  const outcomes: Outcome[] = [];
  // The apps have their own process groups, which signals to this one do not reach.
  const giveUp = () => void deployment.stop().finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, giveUp);
  try {
    const requested = await request(createSurroundings(deployment, options.suite));
    for await (const outcome of suite.run(requested, options.module)) {
      outcomes.push(outcome);
      print(outcome);
    }
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, giveUp);
    await deployment.stop();
  }
  return outcomes;
}

function print({ module, result, remarks, log }: Outcome): void {
  console.log(`${result.padEnd(10)} ${module}`);
  if (result === 'PASSED') return;
  for (const line of [...remarks, log]) console.log(`           ${line}`);
}
