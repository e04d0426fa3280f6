import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser, type Page } from '../../tests/browser.fixture.ts';
import {
  isSignedIn,
  newAddress,
  newUser,
  signIn,
  signInAs,
  useUpstreamServer,
} from './upstream-server.fixture.ts';

const twoFactors = { amr: ['pwd', 'mfa'] };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const values = { desk: 'agent', root: 'admin' } as const;
  const used = useUpstreamServer(storage, { roles: { claim: ['realm_access', 'roles'], values } });

  /** Signs in with these values of the claim; resolves with the role of the account and the page. */
  async function signInWith(claim: unknown, user = newUser(newAddress(), twoFactors)) {
    const page: Page = await signInAs(used, { ...user, realm_access: { roles: claim } });
    const account = await used.server.accounts.findByEmail(user.email ?? '');
    return { page, user, account, role: account?.role };
  }

  describe('a provider that determines roles', () => {
    it.each([
      ['one', ['desk'], 'agent'],
      ['the highest of several', ['root', 'desk', 'other'], 'admin'],
      ['a single value', 'desk', 'agent'],
      ['none that has a role', ['other', 'constructor', 7], 'customer'],
      ['no list', undefined, 'customer'],
    ])('gives a new account the role of its claim: %s', async (_, claim, role) => {
      expect((await signInWith(claim)).role).toBe(role);
    });

    it('changes the role at each sign-in, and records it', async () => {
      const { user, account } = await signInWith(['other']);
      expect((await signInWith(['desk'], user)).role).toBe('agent');
      expect((await signInWith([], user)).role).toBe('customer');
      const types = ['account.role_changed'] as const;
      const records = await storage.get().audit.list({ accountId: account?.id, types, limit: 5 });
      const details = [
        { from: 'agent', to: 'customer', provider: 'acme' },
        { from: 'customer', to: 'agent', provider: 'acme' },
      ];
      expect(records.map((record) => record.details)).toEqual(details);
    });

    it('cannot give a role without the second factor that it requires (OWASP ASVS 5.0 §6.3.3)', async () => {
      const user = newUser(newAddress());
      const customer = await signInWith([], user);
      expect(isSignedIn(customer.page)).toBe(true);
      const agent = await signInWith(['desk'], user);
      expect([agent.role, agent.page.url.pathname]).toEqual(['agent', '/sign-in/second-factor']);
    });

    it('cannot give earlier sessions a higher role (OWASP ASVS 5.0 §6.3.3)', async () => {
      const user = { ...newUser(newAddress()), realm_access: { roles: [] } };
      const browser = createBrowser(used.server.url);
      used.upstream.user = user;
      expect(isSignedIn(await signIn(used, browser))).toBe(true);
      const { account } = await signInWith(['desk'], { ...user, ...twoFactors });
      expect(account).toMatchObject({ role: 'agent', credentialEpoch: 1 });
      expect((await browser.open('/account')).url.pathname).toBe('/sign-in');
    });
  });
});
