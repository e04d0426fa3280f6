import { describeWith } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { signIn, useWorld } from './world.fixture.ts';

describeWith('chromium', 'connecting a device in Chromium (RFC 8628)', (executablePath) => {
  const world = useWorld(executablePath);
  let device: oauth.Configuration;
  beforeAll(async () => {
    const { server } = world.get();
    const { id } = await server.addClient({ type: 'device', name: 'Ticket Board', role: null });
    device = await oauth.discovery(new URL(server.url), id, undefined, oauth.None(), {
      execute: [oauth.allowInsecureRequests],
    });
  });

  const requestCodes = () => oauth.initiateDeviceAuthorization(device, { scope: 'openid tickets:read' });
  const poll = (asked: oauth.DeviceAuthorizationResponse) =>
    oauth.pollDeviceAuthorizationGrant(device, { ...asked, interval: 1 });

  describe.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ] as const)('%s', (_, javaScriptEnabled) => {
    it('starts with the user code and ends with a token for the device', async () => {
      const asked = await requestCodes();
      const page = await world.openWindow({ javaScriptEnabled });
      await page.goto(asked.verification_uri);
      await page.fill('#user_code', asked.user_code.toLowerCase());
      await page.click('#submit');
      await page.getByText('Ticket Board').first().waitFor();
      await page.click('#confirm');
      await signIn(page, await world.get().server.addAccount({ role: 'agent' }));
      await page.click('#allow');
      await page.getByRole('heading', { name: 'Your device is connected' }).waitFor();
      expect(await poll(asked)).toMatchObject({ scope: 'openid tickets:read' });
    });
  });

  it('can be aborted by the user, and the device gets access_denied', async () => {
    const asked = await requestCodes();
    const page = await world.openWindow();
    await page.goto(asked.verification_uri_complete ?? '');
    await page.click('#submit');
    await page.click('#abort');
    await page.getByRole('heading', { name: 'The device was not connected' }).waitFor();
    await expect(poll(asked)).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('denied at consent, shows this to the user and returns access_denied to the device', async () => {
    const asked = await requestCodes();
    const page = await world.openWindow();
    await page.goto(asked.verification_uri_complete ?? '');
    await page.click('#submit');
    await page.click('#confirm');
    await signIn(page, await world.get().server.addAccount({ role: 'agent' }));
    await page.click('#deny');
    await page.getByRole('heading', { name: 'The device was not connected' }).waitFor();
    await expect(poll(asked)).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('asks again after a wrong code', async () => {
    const page = await world.openWindow();
    await page.goto(`${world.get().server.url}/device`);
    await page.fill('#user_code', 'BBBB-BBBB');
    await page.click('#submit');
    await page.locator('#user_code-problem').waitFor();
  });
});
