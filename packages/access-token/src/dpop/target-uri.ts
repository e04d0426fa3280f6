/** Characters of a URI (RFC 3986 §2). URL parsers accept and repair others. */
const uriCharacters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/;
const percentEncoded = /%[0-9a-f]{2}/gi;
const unreserved = /[\w\-.~]/;

/**
 * Normalizes an http(s) URI by syntax and scheme (RFC 3986 §6.2.2, §6.2.3) and removes query and fragment.
 * Returns `undefined` for anything else.
 */
export function normalizeTargetUri(uri: string): string | undefined {
  const url = uriCharacters.test(uri) ? URL.parse(uri) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  url.search = '';
  url.hash = '';
  return url.href.replace(percentEncoded, decodeUnreserved);
}

function decodeUnreserved(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  return unreserved.test(character) ? character : encoded.toUpperCase();
}

/**
 * Creates a function that returns the target URI of a request-target (RFC 9112 §3.3) below the public URL of the
 * resource. It ignores the host in the request: a proxy may have changed it, and an attacker may have chosen it.
 *
 * @throws {TypeError} when the base URL is not an http(s) URL
 */
export function createTargetUriBuilder(baseUrl: string): (requestTarget: string) => string | undefined {
  const base = normalizeTargetUri(baseUrl)?.replace(/\/?$/, '/');
  if (base === undefined) throw new TypeError(`${baseUrl} is not an http(s) URL.`);
  return (requestTarget) => {
    const path = requestTarget.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '');
    return normalizeTargetUri(`${base}${path.replace(/^\//, '')}`);
  };
}
