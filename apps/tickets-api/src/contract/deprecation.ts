/** The announcement that an operation or a parameter will be removed; docs/versioning.md has the rules. */
export interface Deprecation {
  /** The first day of the deprecation in UTC, as `2027-01-31`: also the heading of its entry in docs/changelog.md. */
  since: string;
  /** The first day in UTC on which it may be gone; no date yet without it. */
  sunset?: string;
  /** Names the replacement, as a sentence. */
  instead: string;
}

/** Value of the field `Deprecation`: a date of structured fields (RFC 9745 §2.1, RFC 9651 §3.3.7). */
export function toDeprecationField({ since }: Pick<Deprecation, 'since'>): string {
  return `@${toDate(since).getTime() / 1000}`;
}

/** Value of the field `Sunset`: an HTTP date (RFC 8594 §3). */
export function toSunsetField(sunset: string): string {
  return toDate(sunset).toUTCString();
}

/**
 * The announcement for people, as it follows a description.
 *
 * @throws {RangeError} when `since` or `sunset` is no day of the calendar
 */
export function describeDeprecation({ since, sunset, instead }: Deprecation): string {
  const [first, end] = [since, sunset].map((day) => day && toDay(toDate(day)));
  return `Deprecated since ${first}${end === undefined ? '' : `, gone from ${end} on`}. ${instead}`;
}

/** @throws {RangeError} when the text is no day of the calendar */
function toDate(day: string): Date {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || toDay(date) !== day)
    throw new RangeError(`${day} is no day of the calendar.`);
  return date;
}

function toDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}
