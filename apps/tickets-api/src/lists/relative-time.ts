const SECOND_MS = 1_000;
const unitsMs = {
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  h: 3_600 * SECOND_MS,
  d: 86_400 * SECOND_MS,
  w: 7 * 86_400 * SECOND_MS,
} as const;

/** `now`, or so many seconds, minutes, hours, days or weeks before or after it: `-7d`, `+2h`. */
export const relativeTime = /^(?:now|[+-]\d{1,5}[smhdw])$/;

/** The time, counted from `at` where it is relative. */
export function resolveTime(text: string, at: string): string {
  if (!relativeTime.test(text)) return text;
  if (text === 'now') return at;
  const unitMs = unitsMs[text.at(-1) as keyof typeof unitsMs];
  return new Date(Date.parse(at) + Number(text.slice(0, -1)) * unitMs).toISOString();
}
