import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { password } from '../../tests/test-server.fixture.ts';
import {
  isSignedIn,
  newAddress,
  newUser,
  noticeOf,
  signInAs,
  useUpstreamServer,
} from './upstream-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const used = useUpstreamServer(storage);

  async function addUnverified(email: string) {
    const account = await used.server.addAccount({ email });
    const changed = { ...account, emailVerified: false, version: account.version + 1 };
    expect(await storage.get().accounts.replace(changed, account.version)).toBe('replaced');
    return changed;
  }

  describe('an address at a provider (RFC 9700 §4.11, account takeover)', () => {
    it('does not open an existing account if the provider is not trusted for the domain', async () => {
      const { email, id } = await used.server.addAccount();
      const page = await signInAs(used, newUser(email));
      expect(noticeOf(page)).toContain('already have an account');
      expect(await used.server.accounts.listIdentities(id)).toEqual([]);
    });

    it('opens the account of a verified address if the provider is trusted for it', async () => {
      const { email, id } = await used.server.addAccount({ email: newAddress() });
      expect((await signInAs(used, newUser(email))).html).toContain(email);
      expect(await used.server.accounts.listIdentities(id)).toHaveLength(1);
    });

    it('opens nothing while the provider has not verified it, whether or not an account exists', async () => {
      const { email } = await used.server.addAccount({ email: newAddress() });
      const known = await signInAs(used, newUser(email, { email_verified: false }));
      const unknown = await signInAs(used, newUser(newAddress(), { email_verified: false }));
      const missing = await signInAs(used, newUser(undefined));
      const claimed = await signInAs(used, newUser(email, { email_verified: 'yes' }));
      expect(noticeOf(known)).toContain('has not confirmed your e-mail address');
      for (const page of [unknown, missing, claimed]) expect(noticeOf(page)).toBe(noticeOf(known));
    });

    it('does not pass an account on to the next owner of the address (OpenID Connect Core §5.7)', async () => {
      const email = newAddress();
      await signInAs(used, newUser(email));
      const successor = await signInAs(used, newUser(email));
      expect(noticeOf(successor)).toContain('already have an account');
    });

    it('empties an account that another person opened with it (account pre-hijacking)', async () => {
      const email = newAddress();
      const account = await addUnverified(email);
      const attacker = createBrowser(used.server.url);
      await attacker.submit(await attacker.open('/sign-in'), 'sign-in', { email, password });
      expect((await attacker.open('/account')).url.pathname).toBe('/account');
      expect((await signInAs(used, newUser(email))).html).toContain(email);
      expect((await attacker.open('/account')).url.pathname).toBe('/sign-in');
      const again = await attacker.submit(await attacker.open('/sign-in'), 'sign-in', { email, password });
      expect(isSignedIn(again)).toBe(false);
      expect(await used.server.accounts.get(account.id)).toMatchObject({
        passwordHash: null,
        emailVerified: true,
      });
    });

    it('stays unverified in a new account if the provider is not trusted for it', async () => {
      const email = newAddress('elsewhere.example');
      expect(isSignedIn(await signInAs(used, newUser(email)))).toBe(true);
      expect(await used.server.accounts.findByEmail(email)).toMatchObject({ emailVerified: false });
    });

    it('does not open a disabled account', async () => {
      const user = newUser(newAddress());
      await signInAs(used, user);
      const account = await used.server.accounts.findByEmail(user.email ?? '');
      await used.server.accounts.disable(account?.id ?? '', { address: 'cli' });
      expect(noticeOf(await signInAs(used, user))).toContain('disabled');
    });

    it('of a removed account opens a new one', async () => {
      const user = newUser(newAddress());
      await signInAs(used, user);
      const removed = await used.server.accounts.findByEmail(user.email ?? '');
      await used.server.accounts.remove(removed?.id ?? '', { address: 'cli' });
      expect(isSignedIn(await signInAs(used, user))).toBe(true);
      expect((await used.server.accounts.findByEmail(user.email ?? ''))?.id).not.toBe(removed?.id);
    });

    it('has to be of an allowed domain, and needs an account where sign-up is closed', async () => {
      const browser = createBrowser(used.server.url);
      const through = async (email: string) => {
        used.other.user = newUser(email);
        const left = await browser.open('/sign-in/with/other');
        return noticeOf(await browser.open(await used.other.authorize(left.url)));
      };
      used.server.time.ahead += 6_000;
      expect(await through(newAddress('else.example'))).toContain('not from an organization');
      expect(await through(newAddress('allowed.example'))).toContain('You have no account here');
    });
  });
});
