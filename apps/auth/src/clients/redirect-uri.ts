import type { ClientType } from './client.ts';

/** The hosts whose traffic does not leave the machine (RFC 8252 §7.3, §8.3). */
const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost'];
const MAX_LENGTH = 2_000;
/** A scheme that belongs to a domain name, in reverse, so that no other app may claim it (RFC 8252 §7.1). */
const privateUseScheme = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;
const visibleCharacters = /^[\x21-\x7e]+$/;

/**
 * What is wrong with a URI that browsers shall be sent back to; `undefined` when nothing is. It must be one of the few
 * kinds that are safe for the type of client (RFC 9700 §2.1, RFC 8252 §7), so `javascript:` and the like never are.
 */
export function faultOfRedirectUri(uri: string, type: ClientType): string | undefined {
  if (uri.length > MAX_LENGTH || !visibleCharacters.test(uri) || !URL.canParse(uri))
    return 'must be an absolute URI';
  const { protocol, hostname, hash, username, password } = new URL(uri);
  if (hash !== '' || uri.endsWith('#')) return 'must not have a fragment';
  if (username !== '' || password !== '') return 'must not have a user name or a password';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:' && loopbackHosts.includes(hostname)) return undefined;
  if (type !== 'native') return 'must begin with https://, or be http on this machine';
  if (privateUseScheme.test(protocol)) return undefined;
  return 'must be https, http on this machine, or have a scheme with a dot, such as com.example.app:/callback';
}
