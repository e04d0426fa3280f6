import type { ClientType } from './client.ts';

/** Hosts of the loopback interface (RFC 8252 §7.3, §8.3). */
const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost'];
const MAX_LENGTH = 2_000;
/** A private-use scheme: a reversed domain name, so that no other app may claim it (RFC 8252 §7.1). */
const privateUseScheme = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;
/** Characters of a URI (RFC 3986 §2). Browsers accept more, and other programs interpret those differently. */
const uriCharacters = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})+$/i;

/** Faults of a redirect URI, as messages that follow its field name. */
const faults = {
  redirect_uri_invalid: 'must be an absolute URI, without a user name or a password',
  redirect_uri_wildcard: 'must not have a * in its host, because it is compared exactly',
  redirect_uri_fragment: 'must not have a fragment',
  redirect_uri_not_https: 'must begin with https://, or use http on a loopback host',
  redirect_uri_scheme:
    'must use https, http on a loopback host, or a scheme with a dot, such as com.example.app:/callback',
} as const;

export type RedirectUriFault = keyof typeof faults;

export function describeRedirectUriFault(fault: RedirectUriFault): string {
  return faults[fault];
}

/**
 * Returns the fault of a redirect URI, or `undefined` if it is valid. Only the kinds that are safe for the client type
 * are valid (RFC 9700 §2.1, RFC 8252 §7), which excludes `javascript:` and similar schemes.
 */
export function findRedirectUriFault(uri: string, type: ClientType): RedirectUriFault | undefined {
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
