import { z } from 'zod';

const wildcard = '*.';

/** Schema of a host list setting: exact names, or `*.example.com` for every name below `example.com`. */
export const hostList = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .pipe(
    z.array(
      z
        .string()
        .transform(normalizePattern)
        .refine((pattern) => pattern !== '', 'must list hosts, such as app.example or *.example.com'),
    ),
  );

/** Whether a host, as `URL` normalizes it, matches a host list. */
export function isHostListed(hostname: string, list: readonly string[]): boolean {
  const host = trimTrailingDot(hostname);
  return list.some((pattern) =>
    pattern.startsWith(wildcard) ? host.endsWith(pattern.slice(1)) : host === pattern,
  );
}

/** Normalizes a pattern for comparison; returns an empty string if it is invalid. */
function normalizePattern(text: string): string {
  const isWildcard = text.startsWith(wildcard);
  const name = isWildcard ? text.slice(wildcard.length) : text;
  if (name.includes('*') || !URL.canParse(`https://${name}`)) return '';
  const { href, hostname } = new URL(`https://${name}`);
  if (href !== `https://${hostname}/`) return '';
  return (isWildcard ? wildcard : '') + trimTrailingDot(hostname);
}

/** Removes the trailing dot: DNS resolves `app.example.` as `app.example`. */
function trimTrailingDot(hostname: string): string {
  return hostname.replace(/\.$/, '');
}
