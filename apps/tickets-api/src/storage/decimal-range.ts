import type { RangeOperator } from '../helpdesk/list/ticket-filter.ts';

/** Decimal numbers as texts (see `checkValue`): of one sign, and with so many digits before the point. */
export interface DecimalRange {
  sign: '' | '-';
  digits: { from: number; to: number };
  /** With equally many digits before the point, numbers are in the order of their texts; below zero in the reverse. */
  text?: { operator: RangeOperator; bound: string };
}

const MOST_DIGITS = 30;
const reversed: Readonly<Record<RangeOperator, RangeOperator>> = {
  gt: 'lt',
  gte: 'lte',
  lt: 'gt',
  lte: 'gte',
};

/** The numbers on one side of a bound. Engines know no decimal numbers of any length, but they know texts. */
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
