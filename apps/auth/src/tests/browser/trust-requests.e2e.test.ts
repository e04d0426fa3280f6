import { describeWith } from '@keydesk/testing';
import { decodeJwt } from 'jose';
import type { Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { applicationsPath, pathsOf } from '../../web/developer/portal/paths.ts';
import { basic } from '../test-server.fixture.ts';
import { OPERATOR_EMAIL, STEP_LIMIT_MS, signIn, useWorld } from './world.fixture.ts';

describeWith('chromium', 'trust requests in Chromium', (executablePath) => {
  const world = useWorld(executablePath);

  /** Registers a machine client in the developer portal; returns its credentials. */
  async function registerMachine(page: Page): Promise<{ id: string; secret: string }> {
    await page.click('#register');
    await page.check('#type-machine');
    await page.fill('#name', 'Nightly export');
    await page.check('#scope-tickets-read');
    await page.click('#submit');
    await page.locator('#client_secret').waitFor();
    return { id: await page.inputValue('#client_id'), secret: await page.inputValue('#client_secret') };
  }

  async function requestTrust(page: Page): Promise<void> {
    await page.check('#trust_role-agent');
    await page.fill('#role_reason', 'It exports tickets at night.');
    await page.click('#request-role-button');
    await page.locator('#trust-role-state', { hasText: 'not decided yet' }).waitFor();
    await page.fill('#verification_reason', 'Our whole company uses it.');
    await page.click('#request-verification-button');
    await page.locator('#trust-verification-state', { hasText: 'not decided yet' }).waitFor();
  }

  /** Waits for the operator's mail about a request; returns the id of the request. */
  const readRequestId = (clientId: string, request: string) =>
    vi.waitFor(async () => {
      const mails = await world.get().mailbox.mailsTo(OPERATOR_EMAIL);
      const mail = mails.find(({ body }) => body.includes(clientId) && body.includes(request));
      const [, id] = /application approve ([\w-]+)/.exec(mail?.body ?? '') ?? [];
      if (id === undefined) throw new Error(`No mail about the ${request} of ${clientId} has arrived.`);
      return id;
    }, STEP_LIMIT_MS);

  it.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])(
    'are approved and rejected by an operator, which the developer sees: %s',
    async (_, javaScriptEnabled) => {
      const { server, mailbox, operate } = world.get();
      const developer = await server.addAccount({ name: 'Grace Hopper' });
      const page = await world.openWindow({ javaScriptEnabled });
      await page.goto(server.url + applicationsPath);
      await signIn(page, developer);
      const { id, secret } = await registerMachine(page);
      await page.click('#continue');
      await requestTrust(page);

      await operate('application', 'approve', await readRequestId(id, 'requests the role agent'));
      const verification = await readRequestId(id, 'requests verification');
      await operate('application', 'reject', verification, '--reason', 'Please add a home page.');

      const mails = await mailbox.mailsTo(developer.email, 2);
      expect(mails.map(({ body }) => body)).toEqual([
        expect.stringContaining('now has the role agent'),
        expect.stringContaining('The reason: Please add a home page.'),
      ]);
      await page.goto(await mailbox.linkTo(developer.email, pathsOf(id).show));
      await page.locator('#role', { hasText: 'Agent' }).waitFor();
      await page.locator('#trust-role-state', { hasText: 'Approved on' }).waitFor();
      await page.locator('#trust-verification-state', { hasText: 'Please add a home page.' }).waitFor();

      const response = await server.requestToken({ grant_type: 'client_credentials' }, basic(id, secret));
      const { access_token } = (await response.json()) as { access_token: string };
      expect(decodeJwt(access_token)).toMatchObject({ role: 'agent', scope: 'tickets:read' });
    },
  );
});
