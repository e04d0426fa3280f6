import { describeWith } from '@keydesk/testing';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { password } from '../test-server.fixture.ts';
import { signIn, useWorld } from './world.fixture.ts';

const SCRIPTS = [
  ['with JavaScript', true],
  ['without JavaScript', false],
] as const;

describeWith('chromium', 'users in Chromium', (executablePath) => {
  const world = useWorld(executablePath);

  describe.each(SCRIPTS)('%s', (_, javaScriptEnabled) => {
    it('sign up and give an application its first token', async () => {
      const { application, mailbox } = world.get();
      const email = `${uuidv7()}@example.org`;
      const page = await world.openWindow({ javaScriptEnabled });
      await page.goto(application.url);
      await page.click('#sign-in');
      await page.click('#create-account');
      await page.getByText('to continue to Printshop Status').waitFor();
      await page.fill('#name', 'Grace Hopper');
      await page.fill('#email', email);
      await page.fill('#password', password);
      await page.click('#submit');
      await page.waitForURL('**/check-mail');

      await page.goto(await mailbox.linkTo(email, '/verify-email'));
      await signIn(page, { email });
      await page.click('#verify-email #submit');
      await page.click('#continue');
      await page.click('#allow');
      await page.getByRole('heading', { name: 'Hello ' }).waitFor();
      expect(application.tokens()).toMatchObject({ scope: expect.stringContaining('tickets:read') });
    });

    it('sign in and consent once', async () => {
      const { application } = world.get();
      const { page, account } = await world.openApplication({ javaScriptEnabled });
      await page.click('#sign-in');
      await signIn(page, account);
      await page.getByText('Read tickets').waitFor();
      await page.click('#allow');
      await page.getByRole('heading', { name: `Hello ${account.id}` }).waitFor();
      await page.goto(application.url);
      await page.click('#sign-in');
      await page.getByRole('heading', { name: `Hello ${account.id}` }).waitFor();
    });

    it('deny consent, and the application gets access_denied', async () => {
      const { page, account } = await world.openApplication({ javaScriptEnabled });
      await page.click('#sign-in');
      await signIn(page, account);
      await page.click('#deny');
      await page.getByRole('heading', { name: 'access_denied' }).waitFor();
    });

    it('reset their password by mail and continue the interaction', async () => {
      const { page, account } = await world.openApplication({ javaScriptEnabled });
      const another = 'another yellow umbrella';
      await page.click('#sign-in');
      await page.click('#forgot-password');
      await page.locator('form#forgot-password').waitFor();
      await page.fill('#email', account.email);
      await page.click('#submit');
      await page.waitForURL('**/check-mail');
      await page.goto(await world.get().mailbox.linkTo(account.email, '/reset-password'));
      await page.fill('#password', another);
      await page.click('#submit');
      await page.locator('#notice').waitFor();
      await signIn(page, account, another);
      await page.click('#allow');
      await page.getByRole('heading', { name: `Hello ${account.id}` }).waitFor();
    });

    it('sign out of the application and the server, and have to sign in again', async () => {
      const { application } = world.get();
      const { page, account } = await world.openApplication({ javaScriptEnabled });
      await page.click('#sign-in');
      await signIn(page, account);
      await page.click('#allow');
      await page.getByRole('heading', { name: `Hello ${account.id}` }).waitFor();
      await page.goto(application.url);
      await page.click('#sign-out');
      await page.click('#confirm');
      await page.getByRole('heading', { name: 'Bye' }).waitFor();
      await page.goto(application.url);
      await page.click('#sign-in');
      await page.locator('#password').waitFor();
    });
  });

  it('cancel before sign-in or sign-up, and the application gets access_denied', async () => {
    const { page } = await world.openApplication();
    await page.click('#sign-in');
    await page.click('#create-account');
    await page.locator('form#sign-up').waitFor();
    await page.click('#cancel');
    await page.getByRole('heading', { name: 'access_denied' }).waitFor();
  });

  it('see that a password is wrong, and sign in with the right one', async () => {
    const { page, account } = await world.openApplication();
    await page.click('#sign-in');
    await signIn(page, account, 'not this one');
    await page.locator('#problems').waitFor();
    expect(await page.inputValue('#email')).toBe(account.email);
    await signIn(page, account);
    await page.locator('#consent').waitFor();
  });

  it('sign out on the account pages, or cancel', async () => {
    const { server } = world.get();
    const page = await world.openWindow();
    await page.goto(`${server.url}/account`);
    await signIn(page, await server.addAccount());
    await page.click('#sign-out');
    await page.click('#stay');
    await page.waitForURL('**/account');
    await page.click('#sign-out');
    await page.click('#confirm');
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goto(`${server.url}/account`);
    await page.locator('#password').waitFor();
  });
});
