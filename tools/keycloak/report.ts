import type { World } from './world.ts';

/** Title of a check, and the check, which rejects if it fails. */
export type Check = readonly [title: string, run: (world: World) => Promise<unknown>];

const MAX_LINES = 12;

/** Runs the checks one after another and prints each; resolves with the number of failures. */
export async function runChecks(world: World, checks: readonly Check[]): Promise<number> {
  let failures = 0;
  for (const [title, run] of checks) {
    try {
      await run(world);
      console.log(`ok    ${title}`);
    } catch (err) {
      failures += 1;
      const lines = String(err instanceof Error ? err.message : err).split('\n');
      console.log([`FAIL  ${title}`, ...lines.slice(0, MAX_LINES)].join('\n      '));
    }
    for (const context of world.browser.contexts()) await context.close();
  }
  return failures;
}
