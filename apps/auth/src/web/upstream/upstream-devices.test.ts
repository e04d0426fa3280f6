import { useStarted } from '@keydesk/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';
import { startMailbox } from '../account/mailbox.fixture.ts';
import { type HostileProvider, startHostileProvider } from './hostile-provider.fixture.ts';
import { isSignedIn, newAddress, newUser, trusted } from './upstream-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const mailbox = useStarted(startMailbox);
  let upstream: HostileProvider;
  afterAll(() => upstream.stop());
  const server = useStarted(async () => {
    upstream = await startHostileProvider();
    const identityProviders = [upstream.toProvider({ trustedDomains: [trusted] })];
    return startTestServer(storage.get(), { config: { ...mailbox.config, identityProviders } });
  });

  describe('a sign-in at a provider from a new device (OWASP ASVS 5.0 §6.3.5)', () => {
    it('is reported to the owner once for each browser', async () => {
      upstream.user = newUser(newAddress());
      const { email = '' } = upstream.user;
      const browser = createBrowser(server.url);
      const signIn = async (by = browser) =>
        by.open(await upstream.authorize((await by.open('/sign-in/with/acme')).url));
      expect(isSignedIn(await signIn())).toBe(true);
      await mailbox.signInMailsTo(email, 1);
      expect(isSignedIn(await signIn())).toBe(true);
      expect(isSignedIn(await signIn(createBrowser(server.url)))).toBe(true);
      const mails = await mailbox.signInMailsTo(email, 2);
      expect([mails.length, mails[0]?.body]).toEqual([2, expect.stringContaining('127.0.0.1')]);
    });
  });
});
