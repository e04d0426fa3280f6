import { describeWith } from '@keydesk/testing';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { applicationsPath } from '../../web/developer/portal/paths.ts';
import { signIn, useWorld } from './world.fixture.ts';

describeWith('chromium', 'developers and their users in Chromium', (executablePath) => {
  const world = useWorld(executablePath);

  /** Registers the application in the developer portal and configures it with the shown id and secret. */
  async function register(page: Page, name: string): Promise<void> {
    const { server, application } = world.get();
    await page.goto(server.url + applicationsPath);
    await signIn(page, await server.addAccount({ name: 'Grace Hopper' }));
    await page.click('#register');
    await page.check('#type-web');
    await page.fill('#name', name);
    await page.fill('#redirect_uris', application.redirectUri);
    await page.fill('#post_logout_redirect_uris', application.postLogoutRedirectUri);
    for (const scope of ['openid', 'profile', 'email', 'offline_access', 'tickets:read'])
      await page.check(`input[name="scopes"][value="${scope}"]`);
    await page.click('#submit');
    await application.configure(await page.inputValue('#client_id'), await page.inputValue('#client_secret'));
  }

  describe.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ] as const)('%s', (_, javaScriptEnabled) => {
    it('an application registered in the developer portal signs users in until they revoke its access', async () => {
      const { server, application } = world.get();
      const name = `Night Shift ${javaScriptEnabled}`;
      const developer = await world.openWindow({ javaScriptEnabled });
      await register(developer, name);
      await developer.click('#continue');
      await developer.locator('#snippet-curl').waitFor();

      const { page, account } = await world.openApplication({ javaScriptEnabled });
      await page.click('#stay-signed-in');
      await signIn(page, account);
      await page.locator('#unverified').waitFor();
      await page.getByText('by Grace Hopper').waitFor();
      await page.click('#allow');
      await page.getByRole('heading', { name: `Hello ${account.id}` }).waitFor();
      expect(await application.refresh()).toMatchObject({ access_token: expect.any(String) });

      await page.goto(`${server.url}/account/applications`);
      await page.getByRole('heading', { name }).waitFor();
      await page.click('form[id^="revoke-"] button');
      await page.locator('#notice', { hasText: name }).waitFor();
      await expect(application.refresh()).rejects.toMatchObject({ error: 'invalid_grant' });
    });
  });

  it('copy buttons copy the secret, the client id and an endpoint to the clipboard', async () => {
    const { server } = world.get();
    const page = await world.openWindow();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await register(page, 'Copied');
    const copied = async (id: string) => {
      await page.click(`[data-copies="${id}"]`);
      await page.locator(`[data-copies="${id}"]`, { hasText: 'Copied' }).waitFor();
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    expect(await copied('client_secret')).toBe(await page.inputValue('#client_secret'));
    const clientId = await page.inputValue('#client_id');
    await page.click('#continue');
    expect(await copied('client_id')).toBe(clientId);
    expect(await copied('token_endpoint')).toBe(`${server.url}/token`);
    expect(await copied('snippet-curl')).toContain(clientId);
  });

  it('copy buttons are hidden without JavaScript', async () => {
    const page = await world.openWindow({ javaScriptEnabled: false });
    await register(page, 'By hand');
    await page.locator('#client_secret').waitFor();
    expect(await page.locator('[data-copies]:visible').count()).toBe(0);
  });

  it('the users of a removed application see that it is unknown', async () => {
    const { application } = world.get();
    const developer = await world.openWindow();
    await register(developer, 'Short Lived');
    await developer.click('#continue');
    await developer.click('#remove');
    await developer.click('#submit');
    await developer.locator('#notice', { hasText: 'Short Lived' }).waitFor();
    const { page } = await world.openApplication();
    expect(page.url()).toBe(application.url);
    await page.click('#sign-in');
    await page.locator('h1#error-unknown-client').waitFor();
  });

  it('an invalid form keeps the input and shows the problems at their fields', async () => {
    const { server } = world.get();
    const page = await world.openWindow();
    await page.goto(`${server.url}${applicationsPath}/new`);
    await signIn(page, await server.addAccount());
    await page.check('#type-web');
    await page.fill('#name', 'Faulty');
    await page.fill('#redirect_uris', 'javascript:alert(1)');
    await page.click('#submit');
    await page.locator('#redirect_uris-problem').waitFor();
    expect(await page.inputValue('#name')).toBe('Faulty');
  });
});
