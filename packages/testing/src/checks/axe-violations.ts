import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The part of a page of Playwright that {@link findAxeViolations} needs. */
export interface ScriptedPage {
  evaluate<T>(expression: string): Promise<T>;
}

/** Checks for violations alone: gathering what passes, and sending it here, takes longer than the checks. */
const LIST_VIOLATIONS = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ' at ' + nodes[0]?.html))`;

let axe: string | undefined;

/** Checks a page with axe and returns a line for each rule that it violates, with the first element that does. */
export async function findAxeViolations(page: ScriptedPage): Promise<readonly string[]> {
  axe ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(axe);
  return page.evaluate<string[]>(LIST_VIOLATIONS);
}
