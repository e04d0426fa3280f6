import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AuthConfig } from '../../config.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { password, startTestServer } from '../../tests/test-server.fixture.ts';

/** Creates a file in place of the mail folder. Stopping the server removes it. */
function makeFile(): string {
  const path = join(tmpdir(), `keydesk-mail-${randomUUID()}`);
  writeFileSync(path, '');
  return path;
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);

  async function start(config: Partial<AuthConfig>) {
    const server = await startTestServer(storage.get(), { config });
    onTestFinished(server.stop);
    const { email } = await server.addAccount();
    return { server, email, browser: createBrowser(server.url) };
  }

  const outages: [string, () => Promise<Partial<AuthConfig>>][] = [
    [
      'the mail server refuses connections',
      async () => ({ smtpUrl: `smtp://127.0.0.1:${await findFreePort()}` }),
    ],
    ['the mail folder cannot be written', async () => ({ mailFolder: makeFile() })],
  ];

  describe.each(outages)('while %s', (_outage, toConfig) => {
    it('a request for a link is rejected with an explanation, whether or not the account exists', async () => {
      const { browser, email } = await start(await toConfig());
      for (const address of [email, 'nobody@example.org']) {
        const page = await browser.open('/forgot-password');
        const { status, html } = await browser.submit(page, 'forgot-password', { email: address });
        expect([status, html.includes('id="error-unavailable"')]).toEqual([503, true]);
      }
    });

    it('a sign-up is rejected with an explanation, whether or not the account exists, and creates none', async () => {
      const { browser, email } = await start(await toConfig());
      for (const address of [email, 'new@example.org']) {
        const form = { name: 'Ann', email: address, password };
        const { status, html } = await browser.submit(await browser.open('/sign-up'), 'sign-up', form);
        expect([status, html.includes('id="error-unavailable"')]).toEqual([503, true]);
      }
      expect(await storage.get().accounts.findByEmail('new@example.org')).toBeUndefined();
    });
  });
});
