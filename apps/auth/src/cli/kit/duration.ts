import { InvalidArgumentError } from 'commander';

const secondsOf = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Parses a duration such as `90s`, `15m`, `24h`, `7d` or `0` to seconds. */
export function parseDuration(text: string): number {
  if (text === '0') return 0;
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined)
    throw new InvalidArgumentError('Use 0 or a number with s, m, h or d, such as 24h.');
  return Number(amount) * secondsOf[unit as keyof typeof secondsOf];
}
