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

  const ask = () => oauth.initiateDeviceAuthorization(device, { scope: 'openid tickets:read' });
  const poll = (asked: oauth.DeviceAuthorizationResponse) =>
    oauth.pollDeviceAuthorizationGrant(device, { ...asked, interval: 1 });

  describe.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ] as const)('%s', (_, javaScriptEnabled) => {
    it('begins with the code that the device shows and ends in its token', async () => {
      const asked = await ask();
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

  it('is stopped by the person, and the device is told', async () => {
    const asked = await ask();
    const page = await world.openWindow();
    await page.goto(asked.verification_uri_complete ?? '');
    await page.click('#submit');
    await page.click('#abort');
    await page.getByRole('heading', { name: 'The device was not connected' }).waitFor();
    await expect(poll(asked)).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('denied at consent, says so to the person and to the device', async () => {
    const asked = await ask();
    const page = await world.openWindow();
    await page.goto(asked.verification_uri_complete ?? '');
    await page.click('#submit');
    await page.click('#confirm');
    await signIn(page, await world.get().server.addAccount({ role: 'agent' }));
    await page.click('#deny');
    await page.getByRole('heading', { name: 'The device was not connected' }).waitFor();
    await expect(poll(asked)).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('asks once more for a code that is wrong', async () => {
    const page = await world.openWindow();
    await page.goto(`${world.get().server.url}/device`);
    await page.fill('#user_code', 'BBBB-BBBB');
    await page.click('#submit');
    await page.locator('#user_code-problem').waitFor();
  });
});
