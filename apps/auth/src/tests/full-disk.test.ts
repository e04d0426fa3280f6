import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort, type Program, startProgram, untilReady } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, createBrowser, type Page } from './browser.fixture.ts';
import { addMachineClient, runCli, type ServedFolder, serveNewFolder } from './processes.fixture.ts';
import { basic, password } from './test-server.fixture.ts';

const KNOWN = 'ann@example.org';

/** Starts the server on an existing data folder whose disk is full. */
describe('the authorization server on a full disk', () => {
  let earlier: ServedFolder;
  let machine: { id: string; secret: string };
  let server: Program;
  let url: string;
  let browser: Browser;

  beforeAll(async () => {
    earlier = await serveNewFolder();
    machine = await addMachineClient(earlier.env);
    const account = ['--email', KNOWN, '--name', 'Ann', '--role', 'customer', '--password-stdin'];
    expect((await runCli(['account', 'add', ...account], earlier.env, password)).code).toBe(0);
    earlier.server.child.kill('SIGTERM');
    await earlier.server.ended;
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}`;
    server = startProgram(join(import.meta.dirname, '../main.ts'), {
      env: {
        AUTH_PORT: String(port),
        STORAGE_URL: `sqlite:${join(earlier.folder, 'auth.db')}`,
        MASTER_SECRET_FILE: join(earlier.folder, 'master-secret'),
        MAIL_FOLDER: join(earlier.folder, 'mail'),
      },
      isDiskFull: true,
    });
    browser = createBrowser(url);
    await untilReady(url, server);
  });
  afterAll(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
    await earlier.stop();
  });

  const requestMachineToken = (issuer: string) =>
    fetch(`${issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'tickets:read' }),
      headers: basic(machine.id, machine.secret),
    });
  const summaryOf = ({ status, html, headers }: Page) => [
    status,
    headers.get('retry-after'),
    html.includes('id="error-unavailable"'),
  ];
  const unavailable = [503, '30', true];

  it('starts, is ready and publishes its keys', async () => {
    const { keys } = (await (await fetch(`${url}/jwks`)).json()) as { keys: unknown[] };
    expect(keys.length).toBeGreaterThan(0);
  });

  it('issues tokens to machines, including the first one', async () => {
    expect((await requestMachineToken(url)).status).toBe(200);
  });

  it('answers a sign-up with an error page and creates no account', async () => {
    const form = { name: 'Eve', email: 'eve@example.org', password };
    const page = await browser.submit(await browser.open('/sign-up'), 'sign-up', form);
    expect(summaryOf(page)).toEqual(unavailable);
  });

  it.each([KNOWN, 'nobody@example.org'])(
    'answers a password reset of %s with the same error page and mails no link',
    async (email) => {
      const form = await browser.open('/forgot-password');
      expect(summaryOf(await browser.submit(form, 'forgot-password', { email }))).toEqual(unavailable);
      expect(await readdir(join(earlier.folder, 'mail')).catch(() => [])).toEqual([]);
    },
  );

  it('answers a sign-in with the error page', async () => {
    const form = await browser.open('/sign-in');
    expect(summaryOf(await browser.submit(form, 'sign-in', { email: KNOWN, password }))).toEqual(unavailable);
  });
});
