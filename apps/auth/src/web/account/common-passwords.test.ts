import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { findFreePort, untilReady } from '@keydesk/testing';
import { expect, it } from 'vitest';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { newFolder, startServer } from '../../tests/processes.fixture.ts';

it('the server process rejects the most common passwords', async () => {
  const [port, folder] = [await findFreePort(), newFolder()];
  const url = `http://127.0.0.1:${port}`;
  const server = startServer({
    AUTH_PORT: String(port),
    STORAGE_URL: `sqlite:${join(folder, 'auth.db')}`,
    MAIL_FOLDER: join(folder, 'mail'),
    MASTER_SECRET: randomBytes(32).toString('base64url'),
  });
  await untilReady(url, server);
  const browser = createBrowser(url);
  const fields = { name: 'Ada', email: 'ada@example.org', password: 'basketball' };
  const page = await browser.submit(await browser.open('/sign-up'), 'sign-up', fields);
  expect(page.status).toBe(400);
  expect(page.html).toContain('id="password-problem"');
});
