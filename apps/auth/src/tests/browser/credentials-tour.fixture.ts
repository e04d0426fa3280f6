import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import type { Account } from '../../accounts/account/account.ts';
import { paths } from '../../web/kit/account-paths.ts';
import { identityPaths } from '../../web/upstream/provider-buttons.ts';
import { type AuthenticatorApp, createApp } from '../authenticator-app.fixture.ts';
import type { Tour, Visit } from './tour.fixture.ts';
import { addVirtualAuthenticator, WITHOUT_SUGGESTIONS } from './virtual-authenticator.fixture.ts';
import { signIn } from './world.fixture.ts';

/** Opens the pages on which a signed-in user manages factors, passkeys, sessions and identities. */
export async function tourCredentials(tour: Tour, visit: Visit, account: Account): Promise<void> {
  await tourPasskeys(tour, visit);
  await tourIdentities(tour, visit);
  const app = await tourTwoStep(tour, visit);
  await tourSecondFactor(tour, visit, { account, app });
  for (const path of [paths.sessions, paths.removePassword, paths.downloadData, paths.deleteAccount]) {
    await tour.page.goto(tour.server.url + path);
    await visit(path);
  }
}

async function tourPasskeys({ page, server }: Tour, visit: Visit): Promise<void> {
  await page.addInitScript(WITHOUT_SUGGESTIONS);
  await addVirtualAuthenticator(page);
  await page.goto(server.url + paths.passkeys);
  await visit('passkeys-none');
  await page.click('#add-passkey');
  await page.locator('#create-passkey').waitFor();
  await visit('new-passkey');
  await page.fill('#passkey_name', 'Donaudampfschifffahrtsgesellschaftslaptop');
  await page.click('#create-passkey');
  await page.locator('#passkeys').waitFor();
  await visit('passkeys');
  await page.click('#passkeys a');
  await page.locator('#remove-passkey').waitFor();
  await visit('passkey');
}

async function tourIdentities({ page, server, upstream }: Tour, visit: Visit): Promise<void> {
  if (!upstream) throw new Error('The tour needs a provider.');
  await page.goto(server.url + identityPaths.list);
  await visit('identities-none');
  upstream.user = { sub: randomUUID(), email: 'ada@elsewhere.example', email_verified: true };
  await page.click('#link-acme');
  await page.locator('form#link-identity').waitFor();
  await visit('link-identity');
  await page.click('#submit');
  await page.locator('#identities').waitFor();
  await visit('identities');
}

async function tourTwoStep({ page, server }: Tour, visit: Visit): Promise<AuthenticatorApp> {
  await page.goto(server.url + paths.twoStep);
  await visit('two-step-off');
  await page.click('#set-up');
  await page.locator('form#set-up-totp').waitFor();
  await visit('set-up-totp');
  const app = createApp(await page.inputValue('#secret'), server);
  await page.fill('#code', app.wrongCode());
  await page.click('#submit');
  await page.locator('#code-problem').waitFor();
  await visit('set-up-totp-wrong');
  await page.fill('#code', app.currentCode());
  await page.click('#submit');
  await page.locator('#codes').waitFor();
  await visit('recovery-codes');
  await page.click('#continue');
  await page.locator('#new-codes').waitFor();
  await visit('two-step');
  return app;
}

/** Signs out and in again, with a code, and trusts the browser. */
async function tourSecondFactor(
  { page, server }: Tour,
  visit: Visit,
  { account, app }: { account: Account; app: AuthenticatorApp },
): Promise<void> {
  await signOut(page, server.url);
  await page.goto(server.url + paths.account);
  await signIn(page, account);
  await page.locator('form#second-factor').waitFor();
  await visit('second-factor');
  await page.fill('#code', app.wrongCode());
  await page.click('#second-factor [type=submit]');
  await page.locator('#code-problem').waitFor();
  await visit('second-factor-wrong');
  await page.fill('#code', app.nextCode());
  await page.check('#trust_device');
  await page.click('#second-factor [type=submit]');
  await page.waitForURL('**/account');
}

async function signOut(page: Page, url: string): Promise<void> {
  await page.goto(url + paths.signOut);
  await page.click('#confirm');
  await page.locator('.hero').waitFor();
}

/** Opens the pages of a user who deletes their account and changes their mind. */
export async function tourLeaving({ page, server }: Tour, visit: Visit): Promise<void> {
  const account = await server.addAccount({ name: 'Grace Hopper' });
  await page.goto(server.url + paths.deleteAccount);
  await signIn(page, account);
  await page.locator('form#delete-account').waitFor();
  await page.click('#delete-account #submit');
  await page.locator('#notice').waitFor();
  await visit('deletion-requested');
  await signIn(page, account);
  await page.locator('form#keep-account').waitFor();
  await visit('keep-account');
  await page.click('#keep-account #submit');
  await page.waitForURL('**/account');
  await signOut(page, server.url);
}

/** Opens the pages to which mails lead. */
export async function tourMailedLinks({ page, server, mailbox }: Tour, visit: Visit): Promise<void> {
  const account = await server.addAccount({ name: 'Grace Hopper' });
  await page.goto(server.url + paths.account);
  await signIn(page, account);
  await page.waitForURL('**/account');
  await page.goto(await mailbox.linkTo(account.email, paths.disownSignIn));
  await visit('disown-sign-in');
  await page.click('#disown-sign-in #submit');
  await page.waitForURL((url) => url.pathname !== paths.disownSignIn);
  await visit('sign-in-disowned');
  const email = `${randomUUID()}@example.org`;
  await page.goto(server.url + paths.signUp);
  await page.fill('#name', 'Grace Hopper');
  await page.fill('#email', email);
  await page.click('#use-passkey');
  await page.waitForURL('**/check-mail');
  await page.goto(await mailbox.linkTo(email, paths.signUpPasskey));
  await visit('sign-up-passkey');
}
