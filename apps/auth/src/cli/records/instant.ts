import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../kit/duration.ts';

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** Parses an RFC 3339 timestamp, such as `2026-03-01T12:00:00Z`, or an age, such as `2d`. */
export function parseInstant(text: string): Date {
  if (!rfc3339.test(text)) return parseAge(text);
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime()))
    throw new InvalidArgumentError('This date does not exist; use a valid one.');
  return moment;
}

function parseAge(text: string): Date {
  try {
    return new Date(Date.now() - parseDuration(text) * 1000);
  } catch {
    throw new InvalidArgumentError(
      'Use an age such as 2d (two days ago) or a timestamp such as 2026-03-01T12:00:00Z.',
    );
  }
}
