import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser, type Page } from '../../tests/browser.fixture.ts';
import { isSignedIn, newAddress, newUser, signInAs, useUpstreamServer } from './upstream-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const used = useUpstreamServer(storage);

  /** Adds an account linked to a user of `other`, a provider that is not trusted. */
  async function addLinked(claims: object = {}) {
    const user = newUser(newAddress('allowed.example'), claims);
    const account = await used.server.addAccount({ role: 'agent' });
    const { issuer } = used.other;
    const link = { providerId: 'other', label: null, linkedAt: new Date(), lastUsedAt: null };
    const identities = [{ id: randomUUID(), issuer, subject: user.sub, ...link }];
    await storage.get().identities.replace({ accountId: account.id, identities, version: 1 }, 0);
    return { user, account };
  }

  async function signInAtOther(user: typeof used.other.user): Promise<Page> {
    used.other.user = user;
    const browser = createBrowser(used.server.url);
    const left = await browser.open('/sign-in/with/other');
    return browser.open(await used.other.authorize(left.url));
  }

  describe('a provider that is not trusted', () => {
    it.each([{ amr: ['pwd', 'otp', 'mfa'] }, { acr: 'gold' }, { amr: ['hwk', 'user', 'mfa'], acr: 'phr' }])(
      'does not replace the second factor: %j (RFC 8176)',
      async (claims) => {
        const { user } = await addLinked(claims);
        expect((await signInAtOther(user)).url.pathname).toBe('/sign-in/second-factor');
      },
    );

    it('changes no role', async () => {
      const { user, account } = await addLinked({ roles: ['admin'], realm_access: { roles: ['admin'] } });
      await signInAtOther(user);
      expect(await used.server.accounts.get(account.id)).toMatchObject({ role: 'agent' });
    });
  });

  describe('a subject (OpenID Connect Core §5.7)', () => {
    it('of one provider does not open an account of the same subject of another', async () => {
      const { user, account } = await addLinked();
      const page = await signInAs(used, { ...user, email: newAddress() });
      expect(isSignedIn(page)).toBe(true);
      expect(page.html).not.toContain(account.email);
    });
  });

  describe('the claims of a profile', () => {
    it('are stored only in a new account, and only if they are valid', async () => {
      const user = newUser(newAddress());
      await signInAs(used, { ...user, name: 'Ada Lovelace' });
      const find = async (email = '') => (await used.server.accounts.findByEmail(email))?.profile;
      expect(await find(user.email)).toEqual({ name: 'Ada Lovelace' });
      await signInAs(used, { ...user, name: 'Ada King' });
      expect(await find(user.email)).toEqual({ name: 'Ada Lovelace' });
      const invalid = newUser(newAddress(), { name: { first: 'Ada' } });
      expect(isSignedIn(await signInAs(used, invalid))).toBe(true);
      expect(await find(invalid.email)).toEqual({});
    });
  });
});
