import type { Configuration } from 'oidc-provider';

/**
 * The library's cookies. Where the server is reached by https their names keep every other host and plain http from
 * setting them (RFC 6265bis §4.1.3); those of an interaction live under its path, so that two tabs do not meet.
 *
 * @param isSentFromElsewhere whether forms of other sites find the session, as POST at the authorization endpoint asks
 * @param keys what they are signed with
 */
export function createCookies({
  isHttps,
  isSentFromElsewhere,
  keys,
}: {
  isHttps: boolean;
  isSentFromElsewhere: boolean;
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
    long: { ...options, path: '/', ...(isSentFromElsewhere && { sameSite: 'none' }) },
    short: options,
  };
}

/** The name of a cookie for all paths of this host. */
export function cookieName(name: string, isHttps: boolean): string {
  return isHttps ? `__Host-${name}` : name;
}
