import { describeWith } from '@keydesk/testing';
import type { Page } from 'playwright-core';
import { v7 as uuidv7 } from 'uuid';
import { expect, it, onTestFinished } from 'vitest';
import type { Account } from '../../accounts/account/account.ts';
import {
  addVirtualAuthenticator,
  type VirtualAuthenticator,
  WITHOUT_SUGGESTIONS,
} from './virtual-authenticator.fixture.ts';
import { signIn, useWorld } from './world.fixture.ts';

describeWith('chromium', 'passkeys in Chromium', (executablePath) => {
  const world = useWorld(executablePath, { host: 'localhost' });

  /** Adds an account and, in a new window, a passkey for it; the user stays signed in. */
  async function openWithPasskey(): Promise<{
    page: Page;
    account: Account;
    authenticator: VirtualAuthenticator;
  }> {
    const { server } = world.get();
    const account = await server.addAccount({ name: 'Ada Lovelace' });
    const page = await world.openWindow();
    const authenticator = await addVirtualAuthenticator(page);
    await page.goto(`${server.url}/account`);
    await signIn(page, account);
    await page.click('#manage-passkeys');
    await page.click('#add-passkey');
    await page.fill('#passkey_name', 'Laptop');
    await page.click('#create-passkey');
    await page.locator('#passkeys').getByRole('heading', { name: 'Laptop' }).waitFor();
    expect(await authenticator.countPasskeys()).toBe(1);
    return { page, account, authenticator };
  }

  async function signOut(page: Page): Promise<void> {
    await page.click('#sign-out');
    await page.click('#confirm');
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  }

  it('are added and sign in by the button', async () => {
    const { server } = world.get();
    const { page, account } = await openWithPasskey();
    await signOut(page);
    await page.addInitScript(WITHOUT_SUGGESTIONS);
    await page.goto(`${server.url}/sign-in`);
    await page.click('#use-passkey');
    await page.waitForURL('**/account');
    expect(await page.innerText('#account-email')).toBe(account.email);
  });

  it('sign in from the suggestions of the e-mail field, without a click', async () => {
    const { server } = world.get();
    const { page, account } = await openWithPasskey();
    await signOut(page);
    await page.goto(`${server.url}/sign-in`);
    await page.waitForURL('**/account');
    expect(await page.innerText('#account-email')).toBe(account.email);
  });

  it('sign in on a page that was open for longer than its challenge lives', async () => {
    const { server } = world.get();
    const { page, account } = await openWithPasskey();
    await signOut(page);
    await page.addInitScript(WITHOUT_SUGGESTIONS);
    await page.goto(`${server.url}/sign-in`);
    server.time.ahead += 360_000;
    onTestFinished(() => {
      server.time.ahead = 0;
    });
    await page.click('#use-passkey');
    await page.waitForURL('**/account');
    expect(await page.innerText('#account-email')).toBe(account.email);
  });

  it('answer an authorization request, as two factors', async () => {
    const { application } = world.get();
    const { page, account } = await openWithPasskey();
    await signOut(page);
    await page.goto(application.url);
    await page.click('#sign-in');
    await page.click('#allow');
    await page.waitForURL('**/?said=*');
    expect(await page.innerText('h1')).toBe(`Hello ${account.id}`);
    const [, claims = ''] = application.tokens()?.id_token?.split('.') ?? [];
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      amr: ['swk', 'user', 'mfa'],
      acr: 'phr',
    });
  });

  it('are not created twice on one device, nor without the fingerprint or PIN of the user', async () => {
    const { server } = world.get();
    const { page, authenticator } = await openWithPasskey();
    await page.goto(`${server.url}/account/passkeys/new`);
    await page.click('#create-passkey');
    await page.getByText('This device already has a passkey for your account.').waitFor();
    const other = await world.openWindow();
    const careless = await addVirtualAuthenticator(other);
    await careless.setVerified(false);
    await other.goto(`${server.url}/account/passkeys/new`);
    await signIn(other, await server.addAccount());
    await other.click('#create-passkey');
    await other.getByText('No passkey was created. You can try again.').waitFor();
    expect([await authenticator.countPasskeys(), await careless.countPasskeys()]).toEqual([1, 0]);
  });

  it('are renamed and removed, and no longer sign in', async () => {
    const { server } = world.get();
    const { page } = await openWithPasskey();
    await page.getByRole('link', { name: 'Change Laptop' }).click();
    await page.fill('#passkey_name', 'Old laptop');
    await page.click('#submit');
    await page.getByText('The passkey has a new name.').waitFor();
    await page.getByRole('link', { name: 'Change Old laptop' }).click();
    await page.click('#remove');
    await page.getByText('You have no passkey yet.').waitFor();
    await signOut(page);
    await page.addInitScript(WITHOUT_SUGGESTIONS);
    await page.goto(`${server.url}/sign-in`);
    await page.click('#use-passkey');
    await page.getByText('This passkey opens no account here.').waitFor();
  });

  it('open an account without a password, and give an application its first token', async () => {
    const { application, mailbox } = world.get();
    const email = `${uuidv7()}@example.org`;
    const page = await world.openWindow();
    await addVirtualAuthenticator(page);
    await page.goto(application.url);
    await page.click('#sign-in');
    await page.click('#create-account');
    await page.fill('#name', 'Grace Hopper');
    await page.fill('#email', email);
    await page.click('#use-passkey');
    await page.waitForURL('**/check-mail');
    await page.goto(await mailbox.linkTo(email, '/sign-up/passkey'));
    await page.click('#create-passkey');
    await page.click('#allow');
    await page.getByRole('heading', { name: 'Hello ' }).waitFor();
  });

  it('are offered only where scripts run', async () => {
    const { server } = world.get();
    const page = await world.openWindow({ javaScriptEnabled: false });
    await page.goto(`${server.url}/sign-in`);
    expect(await page.locator('#use-passkey').isVisible()).toBe(false);
    await signIn(page, await server.addAccount());
    await page.goto(`${server.url}/account/passkeys/new`);
    await page.getByText('This needs JavaScript and a browser with passkeys.').waitFor();
    expect(await page.locator('#create-passkey').isVisible()).toBe(false);
  });
});
