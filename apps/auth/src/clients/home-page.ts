const MAX_LENGTH = 500;
const visibleCharacters = /^[\x21-\x7e]+$/;

/**
 * Whether people can be sent to a URL to read about an application: https, with no credentials in it, so `javascript:`
 * and the like never are.
 */
export function isHomePage(url: string): boolean {
  if (url.length > MAX_LENGTH || !visibleCharacters.test(url) || !URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return protocol === 'https:' && username === '' && password === '';
}
