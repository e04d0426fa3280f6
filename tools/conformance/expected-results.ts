import type { Outcome } from './suite.ts';

/** Expected results of a plan other than PASSED, by module; `docs/conformance.md` explains each. */
export type ExpectedResults = Readonly<Record<string, string>>;

/** The file `expected-results.json`, by plan. */
export type ExpectedResultsFile = Readonly<Record<string, ExpectedResults>>;

/**
 * Describes each difference between the outcomes of a plan and the expected results, one line each.
 *
 * @param isWhole whether all modules of the plan ran, so that a missing one is a difference
 */
export function findDifferences(
  outcomes: readonly Pick<Outcome, 'module' | 'result'>[],
  expected: ExpectedResults,
  isWhole: boolean,
): string[] {
  const unexpected = outcomes.flatMap(({ module, result }) => {
    const due = expected[module] ?? 'PASSED';
    return result === due ? [] : [`${module}: expected ${due}, got ${result}`];
  });
  const ran = new Set(outcomes.map(({ module }) => module));
  const missing = isWhole ? Object.keys(expected).filter((module) => !ran.has(module)) : [];
  return [...unexpected, ...missing.map((module) => `${module}: expected ${expected[module]}, did not run`)];
}
