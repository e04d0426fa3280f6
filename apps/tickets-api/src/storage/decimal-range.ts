import type { RangeOperator } from '../helpdesk/list/ticket-filter.ts';

/**
 * Range of decimal numbers stored as text (see `checkValue`), with one sign and a number of digits before the point.
 */
export interface DecimalRange {
  sign: '' | '-';
  digits: { from: number; to: number };
  /**
   * Bound as text: with the same number of digits before the point, text order is numeric order; reversed if negative.
   */
  text?: { operator: RangeOperator; bound: string };
}

const MOST_DIGITS = 30;
const reversed: Readonly<Record<RangeOperator, RangeOperator>> = {
  gt: 'lt',
  gte: 'lte',
  lt: 'gt',
  lte: 'gte',
};

/** Returns the ranges of numbers on one side of a bound. Engines cannot compare arbitrary decimals, but text. */
export function toDecimalRanges(operator: RangeOperator, bound: string): DecimalRange[] {
  const sign = bound.startsWith('-') ? '-' : '';
  const digits = bound.slice(sign.length).split('.', 1)[0]?.length ?? 0;
  const isAwayFromZero = operator.startsWith('g') === (sign === '');
  const ranges: DecimalRange[] = [
    {
      sign,
      digits: { from: digits, to: digits },
      text: { operator: sign === '' ? operator : reversed[operator], bound },
    },
    { sign, digits: isAwayFromZero ? { from: digits + 1, to: MOST_DIGITS } : { from: 1, to: digits - 1 } },
  ];
  if (!isAwayFromZero) ranges.push({ sign: sign === '' ? '-' : '', digits: { from: 1, to: MOST_DIGITS } });
  return ranges.filter(({ digits: { from, to } }) => from <= to);
}
