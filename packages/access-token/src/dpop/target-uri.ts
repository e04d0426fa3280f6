/** RFC 3986 §2: whatever else a URL parser would accept or repair is no URI. */
const uriCharacters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/;
const percentEncoded = /%[0-9a-f]{2}/gi;
const unreserved = /[\w\-.~]/;

/**
 * The one spelling of an http(s) URI that means the same, by syntax and by scheme (RFC 3986 §6.2.2, §6.2.3), without
 * query and fragment; `undefined` for anything else.
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
 * Tells the target URI of a request from its request-target (RFC 9112 §3.3) and the URL under which the resource is
 * known to its clients. What the request says about its host does not matter: a proxy may have changed it, and an
 * attacker may have chosen it.
 *
 * @throws {TypeError} when the base is no http(s) URL
 */
export function createTargetUris(baseUrl: string): (requestTarget: string) => string | undefined {
  const base = normalizeTargetUri(baseUrl)?.replace(/\/?$/, '/');
  if (base === undefined) throw new TypeError(`${baseUrl} is no http(s) URL.`);
  return (requestTarget) => {
    const path = requestTarget.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '');
    return normalizeTargetUri(`${base}${path.replace(/^\//, '')}`);
  };
}
