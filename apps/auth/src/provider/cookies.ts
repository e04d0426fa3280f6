import type { Configuration } from 'oidc-provider';

/**
 * Creates the cookie settings of oidc-provider. Over https the name prefixes keep other hosts and plain http from
 * setting the cookies (RFC 6265bis §4.1.3). Cookies of an interaction are scoped to its path, so that two tabs do not
 * interfere.
 *
 * @param isSentCrossSite whether cross-site forms send the session cookie, as POST at the authorization endpoint
 * requires
 * @param keys signing keys
 */
export function createCookies({
  isHttps,
  isSentCrossSite,
  keys,
}: {
  isHttps: boolean;
  isSentCrossSite: boolean;
  keys: string[];
}): Configuration['cookies'] {
  const options = { httpOnly: true, sameSite: 'lax', secure: isHttps } as const;
  return {
    keys,
    names: {
      session: cookieName('session', isHttps),
      interaction: isHttps ? '__Secure-interaction' : 'interaction',
      resume: isHttps ? '__Secure-resume' : 'resume',
    },
    long: { ...options, path: '/', ...(isSentCrossSite && { sameSite: 'none' }) },
    short: options,
  };
}

/** Returns the name of a cookie that is valid for all paths of this host. */
export function cookieName(name: string, isHttps: boolean): string {
  return isHttps ? `__Host-${name}` : name;
}
