const SECOND_MS = 1_000;
const unitsMs = {
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  h: 3_600 * SECOND_MS,
  d: 86_400 * SECOND_MS,
  w: 7 * 86_400 * SECOND_MS,
} as const;

/** Relative time: `now`, or an offset in seconds, minutes, hours, days or weeks, such as `-7d` or `+2h`. */
export const relativeTime = /^(?:now|[+-]\d{1,5}[smhdw])$/;

/** Resolves a relative time against `at`; returns other times unchanged. */
export function resolveTime(text: string, at: string): string {
  if (!relativeTime.test(text)) return text;
  if (text === 'now') return at;
  const unitMs = unitsMs[text.at(-1) as keyof typeof unitsMs];
  return new Date(Date.parse(at) + Number(text.slice(0, -1)) * unitMs).toISOString();
}
