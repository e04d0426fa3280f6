import { describe, expect, it } from 'vitest';
import file from './expected-results.json' with { type: 'json' };
import { type ExpectedResultsFile, findDifferences } from './expected-results.ts';
import { plans } from './plans.ts';

const expected = { looks: 'REVIEW', absent: 'SKIPPED' };
const asExpected = [
  { module: 'works', result: 'PASSED' },
  { module: 'looks', result: 'REVIEW' },
  { module: 'absent', result: 'SKIPPED' },
];

describe('the check of a conformance run', () => {
  it('accepts results that are passed or expected', () => {
    expect(findDifferences(asExpected, expected, true)).toEqual([]);
  });

  it.each([
    ['works', 'FAILED', 'works: expected PASSED, got FAILED'],
    ['works', 'WARNING', 'works: expected PASSED, got WARNING'],
    ['looks', 'UNFINISHED', 'looks: expected REVIEW, got UNFINISHED'],
    ['absent', 'PASSED', 'absent: expected SKIPPED, got PASSED'],
  ])('reports that %s ended as %s', (module, result, difference) => {
    const outcomes = asExpected.map((each) => (each.module === module ? { module, result } : each));
    expect(findDifferences(outcomes, expected, true)).toEqual([difference]);
  });

  it('reports an expected module that did not run, unless only some were selected', () => {
    const [works] = asExpected;
    if (!works) throw new Error('no outcome');
    expect(findDifferences([works], expected, true)).toEqual([
      'looks: expected REVIEW, did not run',
      'absent: expected SKIPPED, did not run',
    ]);
    expect(findDifferences([works], expected, false)).toEqual([]);
  });

  it('has expectations only for plans of the runner', () => {
    const known: ExpectedResultsFile = file;
    expect(Object.keys(plans)).toEqual(expect.arrayContaining(Object.keys(known)));
  });
});
