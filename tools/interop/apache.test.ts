import { describeWith, useStarted } from '@keydesk/testing';
import { expect, it, onTestFinished } from 'vitest';
import { type Browser, createBrowser } from '../../apps/auth/src/tests/browser.fixture.ts';
import { startApache } from './apache-server.fixture.ts';
import { type Keydesk, startKeydesk } from './keydesk.fixture.ts';

/** Response of mod_auth_openidc's information endpoint. */
interface Session {
  access_token: string;
  refresh_token: string;
  id_token: Record<string, unknown>;
  userinfo: Record<string, unknown>;
}

describeWith('mod_auth_openidc', 'a site of Apache with mod_auth_openidc', (program) => {
  const keydesk = useStarted(startKeydesk);

  it('signs users in, works with tickets and refreshes its token', async () => {
    const site = await startApache(keydesk, program);
    onTestFinished(site.stop);
    const browser = createBrowser(site.origin);
    const answer = await keydesk.authorize((await browser.open('/')).url);
    expect(await browser.open(answer.url)).toMatchObject({
      status: 200,
      html: 'For people who have signed in.',
    });

    const session = await readSession(browser);
    const profile = { name: 'Ada Lovelace', email: keydesk.account.email, email_verified: true };
    expect(session).toMatchObject({
      id_token: { iss: keydesk.issuer, ...profile },
      userinfo: { sub: session.id_token.sub, ...profile },
    });
    expect(await listTickets(keydesk, session)).toBe(200);

    const again = new URLSearchParams({ refresh: `${site.origin}/`, access_token: session.access_token });
    expect(await browser.open(`/callback?${again}`)).toMatchObject({
      status: 200,
      url: new URL(site.origin),
    });
    const refreshed = await readSession(browser);
    expect(refreshed.access_token).not.toBe(session.access_token);
    expect(await listTickets(keydesk, refreshed)).toBe(200);
  });
});

async function readSession(browser: Browser): Promise<Session> {
  return JSON.parse((await browser.open('/callback?info=json')).html);
}

async function listTickets({ api }: Keydesk, { access_token }: Session): Promise<number> {
  const headers = { Authorization: `Bearer ${access_token}` };
  const response = await fetch(`${api}/tickets.json`, { headers });
  await response.body?.cancel();
  return response.status;
}
