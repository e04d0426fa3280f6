import { join } from 'node:path';
import { describeWith, findFreePort, useStarted } from '@keydesk/testing';
import { expect, it } from 'vitest';
import type { Browser } from '../../apps/auth/src/tests/browser.fixture.ts';
import { visitWebClient } from './client-program.fixture.ts';
import { expectScope, expectTickets } from './client-report.fixture.ts';
import { startKeydesk } from './keydesk.fixture.ts';

describeWith('express-clients', 'a web application on Express', (folder) => {
  const keydesk = useStarted(startKeydesk);

  /** Registers an application, signs the account in, and resolves with the report of its home page. */
  async function visit(
    name: string,
    callback: string,
    signIn: (browser: Browser) => ReturnType<Browser['open']>,
    { env = {}, edits = [] }: { env?: Record<string, string>; edits?: readonly string[] } = {},
  ) {
    const port = await findFreePort();
    const origin = `http://127.0.0.1:${port}`;
    const client = await keydesk.register(name, 'web', '--redirect-uri', `${origin}${callback}`);
    if (edits.length > 0) await keydesk.run('client', 'edit', client.CLIENT_ID ?? '', ...edits);
    const page = await visitWebClient(keydesk, {
      origin,
      signIn,
      program: {
        command: process.execPath,
        args: [join(folder, `${name}.js`)],
        env: { ...client, ...env, PORT: String(port) },
      },
    });
    expect(page).toMatchObject({ status: 200 });
    return JSON.parse(page.html);
  }

  const profile = () => ({ name: 'Ada Lovelace', email: keydesk.account.email });

  it.each(['query', 'form_post'])(
    'signs users in with express-openid-connect and response_mode=%s',
    async (mode) => {
      const report = await visit('express-openid-connect', '/callback', (browser) => browser.open('/login'), {
        env: { RESPONSE_MODE: mode },
      });
      expect(report).toMatchObject({ claims: profile(), userinfo: profile(), again: 200 });
      expectTickets(report);
    },
  );

  it('signs users in with passport-openidconnect, which does not support PKCE (OAuth 2.1 §7.5.1)', async () => {
    const signIn = (browser: Browser) => browser.open('/sign-in');
    const edits = ['--pkce', 'optional'];
    const report = await visit('passport-openidconnect', '/callback', signIn, { edits });
    expect(report).toMatchObject({
      profile: { displayName: profile().name, emails: [{ value: profile().email }] },
      isOffline: true,
    });
    expectTickets(report);
  });

  it('signs users in with Auth.js', async () => {
    const report = await visit('auth-js', '/auth/callback/keydesk', async (browser) => {
      const page = await browser.open('/auth/csrf');
      const { csrfToken } = JSON.parse(page.html);
      const html = '<form id="sign-in" action="/auth/signin/keydesk"></form>';
      return browser.submit({ ...page, html }, 'sign-in', { csrfToken, callbackUrl: '/' });
    });
    expect(report).toMatchObject({ user: profile(), isOffline: true });
    expectScope(report.scope);
    expectTickets(report);
  });

  it('signs users in with better-auth', async () => {
    const signIn = (browser: Browser) => browser.open('/sign-in');
    const report = await visit('better-auth', '/api/auth/callback/keydesk', signIn);
    expect(report).toMatchObject({ user: profile(), again: 200 });
    expectScope(report.scope);
    expectTickets(report);
  });
});
