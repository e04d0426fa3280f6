import type { ClientType } from './client.ts';

/** The hosts whose traffic does not leave the machine (RFC 8252 §7.3, §8.3). */
const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost'];
const MAX_LENGTH = 2_000;
/** A scheme that belongs to a domain name, in reverse, so that no other app may claim it (RFC 8252 §7.1). */
const privateUseScheme = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;
/** What a URI is made of (RFC 3986 §2). Browsers read more than that, and other programs read it in other ways. */
const uriCharacters = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})+$/i;

/** What can be wrong with a redirect URI, in words that follow its name. */
const faults = {
  redirect_uri_invalid: 'must be an absolute URI, without a user name or a password',
  redirect_uri_wildcard: 'must not have a * in its host: it is compared as it is',
  redirect_uri_fragment: 'must not have a fragment',
  redirect_uri_not_https: 'must begin with https://, or be http on this machine',
  redirect_uri_scheme:
    'must be https, http on this machine, or have a scheme with a dot, such as com.example.app:/callback',
} as const;

export type RedirectUriFault = keyof typeof faults;

export function describeRedirectUriFault(fault: RedirectUriFault): string {
  return faults[fault];
}

/**
 * What is wrong with a URI that browsers shall be sent back to; `undefined` when nothing is. It must be one of the few
 * kinds that are safe for the type of client (RFC 9700 §2.1, RFC 8252 §7), so `javascript:` and the like never are.
 */
export function faultOfRedirectUri(uri: string, type: ClientType): RedirectUriFault | undefined {
  if (uri.length > MAX_LENGTH || !uriCharacters.test(uri) || !URL.canParse(uri))
    return 'redirect_uri_invalid';
  const { protocol, hostname, hash, username, password } = new URL(uri);
  if (hash !== '' || uri.endsWith('#')) return 'redirect_uri_fragment';
  if (username !== '' || password !== '') return 'redirect_uri_invalid';
  if (hostname.includes('*')) return 'redirect_uri_wildcard';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:' && loopbackHosts.includes(hostname)) return undefined;
  if (type !== 'native') return 'redirect_uri_not_https';
  if (privateUseScheme.test(protocol)) return undefined;
  return 'redirect_uri_scheme';
}
