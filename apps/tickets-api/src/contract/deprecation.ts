/** Announcement that an operation or parameter will be removed; docs/versioning.md has the rules. */
export interface Deprecation {
  /** First UTC day of the deprecation, such as `2027-01-31`; also the heading of its entry in docs/changelog.md. */
  since: string;
  /** First UTC day on which it may be removed, if already decided. */
  sunset?: string;
  /** Sentence that names the replacement. */
  instead: string;
}

/** Returns the value of the header field `Deprecation`: a Date of structured fields (RFC 9745 §2.1, RFC 9651 §3.3.7). */
export function toDeprecationField({ since }: Pick<Deprecation, 'since'>): string {
  return `@${toDate(since).getTime() / 1000}`;
}

/** Returns the value of the header field `Sunset`: an HTTP date (RFC 8594 §3). */
export function toSunsetField(sunset: string): string {
  return toDate(sunset).toUTCString();
}

/**
 * Returns the announcement as text that is appended to a description.
 *
 * @throws {RangeError} when `since` or `sunset` is not a calendar date
 */
export function describeDeprecation({ since, sunset, instead }: Deprecation): string {
  const [first, end] = [since, sunset].map((day) => day && toDay(toDate(day)));
  return `Deprecated since ${first}${end === undefined ? '' : `, removed on ${end}`}. ${instead}`;
}

/** @throws {RangeError} when the text is not a calendar date */
function toDate(day: string): Date {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || toDay(date) !== day)
    throw new RangeError(`${day} is not a calendar date.`);
  return date;
}

function toDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}
