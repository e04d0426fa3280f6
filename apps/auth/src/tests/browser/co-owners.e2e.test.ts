import { describeWith } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { applicationsPath, invitationPath } from '../../web/developer/portal/paths.ts';
import { password } from '../test-server.fixture.ts';
import { signIn, useWorld } from './world.fixture.ts';

describeWith('chromium', 'co-owners of an application in Chromium', (executablePath) => {
  const world = useWorld(executablePath);

  describe.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ] as const)('%s', (_, javaScriptEnabled) => {
    it('are invited by mail, sign up, accept, edit the application, and lose access when they are removed', async () => {
      const { server, mailbox } = world.get();
      const email = `katherine-${javaScriptEnabled}@example.org`;
      const owner = await world.openWindow({ javaScriptEnabled });
      await owner.goto(`${server.url}${applicationsPath}/new`);
      await signIn(owner, await server.addAccount({ name: 'Grace Hopper' }));
      await owner.check('#type-machine');
      await owner.fill('#name', 'Night Shift');
      await owner.click('#submit');
      await owner.click('#continue');
      await owner.fill('#invited_email', email);
      await owner.click('#invite-button');
      await owner.locator('#notice', { hasText: email }).waitFor();
      const applicationUrl = owner.url();

      const invited = await world.openWindow({ javaScriptEnabled });
      await invited.goto(await mailbox.linkTo(email, invitationPath));
      await invited.getByRole('heading', { name: 'Sign in to accept the invitation' }).waitFor();
      await invited.click('#create-account');
      await invited.fill('#name', 'Katherine Johnson');
      await invited.fill('#email', email);
      await invited.fill('#password', password);
      await invited.click('#submit');
      await invited.locator('#resend').waitFor();
      await invited.goto(await mailbox.linkTo(email, '/verify-email'));
      await signIn(invited, { email });
      await invited.locator('form#verify-email').waitFor();
      await invited.click('#submit');
      await invited.click('#continue');
      await invited.getByRole('heading', { name: 'Look after Night Shift together?' }).waitFor();
      await invited.getByText('Grace Hopper').first().waitFor();
      await invited.click('#accept');
      await invited.locator('#notice', { hasText: 'Night Shift' }).waitFor();
      expect(invited.url()).toBe(applicationUrl);

      await invited.click('#edit');
      await invited.fill('#name', 'Day Shift');
      await invited.click('#submit');
      await invited.getByRole('heading', { name: 'Day Shift' }).waitFor();
      expect(await invited.locator('#remove').count()).toBe(0);

      await owner.reload();
      await owner.getByRole('heading', { name: 'Day Shift' }).waitFor();
      await owner.getByRole('link', { name: 'Remove Katherine Johnson' }).click();
      await owner.locator('form#change-owners').waitFor();
      await owner.click('#submit');
      await owner.locator('#notice').waitFor();
      await invited.reload();
      await invited.locator('h1#error-not-found').waitFor();
      await invited.goto(server.url + applicationsPath);
      await invited.locator('#register').waitFor();
      expect(await invited.getByText('Day Shift').count()).toBe(0);
    });
  });

  it('see pages without horizontal scrolling on a phone, light and dark', async () => {
    const { server } = world.get();
    const [owner, coOwner] = [
      await server.addAccount({ name: 'Grace Hopper' }),
      await server.addAccount({ name: 'Ada Lovelace' }),
    ];
    const request = { type: 'machine' as const, name: 'Night Shift', scopes: ['tickets:read'] };
    const { client } = await server.clients.register(request, { id: owner.id, limit: 1 });
    await server.clients.addCoOwner(client.id, coOwner.id);
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await world.openWindow({ colorScheme, viewport: { width: 390, height: 844 } });
      await page.goto(`${server.url}${applicationsPath}/${client.id}`);
      await signIn(page, owner);
      for (const path of ['', `/co-owners/${coOwner.id}/hand-over`, `/co-owners/${coOwner.id}/remove`]) {
        await page.goto(`${server.url}${applicationsPath}/${client.id}${path}`);
        await page.getByText('Ada Lovelace').first().waitFor();
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      }
    }
  });
});
