const MAX_LENGTH = 500;
/** What a URI is made of (RFC 3986 §2). */
const uriCharacters = /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/;

/**
 * Whether people can be sent to a URL to read about an application: https, with no credentials in it, so `javascript:`
 * and the like never are.
 */
export function isHomePage(url: string): boolean {
  if (url.length > MAX_LENGTH || !uriCharacters.test(url) || !URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return protocol === 'https:' && username === '' && password === '';
}
