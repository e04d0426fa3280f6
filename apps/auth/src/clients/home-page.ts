const MAX_LENGTH = 500;
/** Characters of a URI (RFC 3986 §2). */
const uriCharacters = /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/;

/**
 * Whether a URL can be shown as the home page of an application: https and without credentials. This excludes
 * `javascript:` and similar schemes.
 */
export function isHomePage(url: string): boolean {
  if (url.length > MAX_LENGTH || !uriCharacters.test(url) || !URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return protocol === 'https:' && username === '' && password === '';
}
