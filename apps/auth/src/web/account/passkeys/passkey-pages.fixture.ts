import { type Authenticator, createAuthenticator } from '../../../accounts/passkeys/authenticator.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../../tests/browser.fixture.ts';
import { password, type TestServer } from '../../../tests/test-server.fixture.ts';

/** Signs a user in with the password, in a new browser. */
export async function signInByPassword({ url }: TestServer, email: string): Promise<Browser> {
  const browser = createBrowser(url);
  await browser.submit(await browser.open('/account'), 'sign-in', { email, password });
  return browser;
}

/** Returns the options of WebAuthn in a page. */
export function optionsIn({ html }: Page, kind: 'creation' | 'request') {
  const [, text = 'null'] = new RegExp(`data-${kind}="([^"]*)"`).exec(html) ?? [];
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'));
}

/** Adds a passkey to the account that is signed in. */
export async function addPasskey(
  browser: Browser,
  issuer: string,
  name = 'Phone',
  members: Partial<Authenticator> = {},
): Promise<Authenticator> {
  const authenticator = Object.assign(createAuthenticator(issuer), members);
  const page = await browser.open('/account/passkeys/new');
  const passkey = authenticator.create(optionsIn(page, 'creation'));
  const added = await browser.submit(page, 'new-passkey', { passkey_name: name, passkey });
  if (added.url.pathname !== '/account/passkeys') throw new Error(`Not added: ${added.html}`);
  return authenticator;
}
