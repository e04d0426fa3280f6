import { join } from 'node:path';
import { describeWith, findFreePort, useStarted } from '@keydesk/testing';
import { expect, it } from 'vitest';
import type { Browser } from '../../apps/auth/src/tests/browser.fixture.ts';
import { runConsoleClient, runMachine, visitWebClient } from './client-program.fixture.ts';
import { expectCompleteJourney, expectMachineToken, expectTickets } from './client-report.fixture.ts';
import { startKeydesk } from './keydesk.fixture.ts';

const REDIRECT_URI = 'https://app.example/callback';
const script = (name: string) => [join(import.meta.dirname, 'python', name)];

describeWith('python-clients', 'a client in Python', (command) => {
  const keydesk = useStarted(startKeydesk);

  /** Registers a local web application and signs the account in. */
  async function visit(name: string, { callback, signInPath }: { callback: string; signInPath: string }) {
    const port = await findFreePort();
    const origin = `http://127.0.0.1:${port}`;
    const env = await keydesk.register(name, 'web', '--redirect-uri', `${origin}${callback}`);
    const program = { command, args: script(name), env: { ...env, PORT: String(port) } };
    const signIn = (browser: Browser) => browser.open(signInPath);
    const page = await visitWebClient(keydesk, { origin, signIn, program });
    expect(page).toMatchObject({ status: 200 });
    return JSON.parse(page.html);
  }

  it('signs users in and works with tickets with Authlib on Flask', async () => {
    const report = await visit('authlib_flask.py', { callback: '/callback', signInPath: '/sign-in' });
    expectCompleteJourney(report, keydesk);
  });

  it('signs users in and works with tickets with requests-oauthlib', async () => {
    const env = await keydesk.register('requests-oauthlib', 'web', '--redirect-uri', REDIRECT_URI);
    const args = script('requests_oauthlib_client.py');
    const report = await runConsoleClient(keydesk, { command, args, env: { ...env, REDIRECT_URI } });
    expectCompleteJourney(report, keydesk);
  });

  it('signs users in and works with tickets with mozilla-django-oidc', async () => {
    const paths = { callback: '/oidc/callback/', signInPath: '/oidc/authenticate/' };
    const report = await visit('django_app.py', paths);
    expect(report.email).toBe(keydesk.account.email);
    expectTickets(report);
  });

  it.each(['authlib_machine.py', 'requests_oauthlib_machine.py'])(
    'gets a token with the client credentials grant: %s',
    async (name) => {
      const env = await keydesk.register(name, 'machine', '--role', 'agent');
      expectMachineToken(await runMachine(keydesk, { command, args: script(name), env }));
    },
  );
});
