import { InvalidArgumentError } from 'commander';
import { parseDuration } from './duration.ts';

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** The instant that RFC 3339 names, such as `2026-03-01T12:00:00Z`, or that was a duration ago, such as `2d`. */
export function parseMoment(text: string): Date {
  if (!rfc3339.test(text)) return momentAgo(text);
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) throw new InvalidArgumentError('There is no such time.');
  return moment;
}

function momentAgo(text: string): Date {
  try {
    return new Date(Date.now() - parseDuration(text) * 1000);
  } catch {
    throw new InvalidArgumentError('It must be like 2d (two days ago) or 2026-03-01T12:00:00Z.');
  }
}
