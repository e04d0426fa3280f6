import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import type { Account } from '../accounts/account/account.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { createRequest, obtainTokens, startJourney } from '../tests/people.fixture.ts';
import { startTestServer } from '../tests/test-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  async function addApi(): Promise<oauth.Configuration> {
    const api = { type: 'resource-server', name: 'Tickets', scopes: [] } as const;
    const { client, secret } = await server.clients.add(api);
    const execute = [oauth.allowInsecureRequests];
    return oauth.discovery(new URL(server.url), client.id, secret ?? '', undefined, { execute });
  }

  describe('an account', () => {
    // Changed only in the store, as if revocation of its tokens had not happened yet or was interrupted.
    it.each<[string, Partial<Account>]>([
      ['is disabled', { status: 'disabled' }],
      ['has another credential epoch', { credentialEpoch: 1 }],
    ])('that %s is rejected from the next request on', async (_, changes) => {
      const journey = await startJourney(server);
      const api = await addApi();
      const { access_token: token, refresh_token: refreshToken = '' } = await obtainTokens(journey);
      expect((await oauth.tokenIntrospection(api, token)).active).toBe(true);
      const account = await server.accounts.get(journey.accountId);
      const changed = { ...account, ...changes, version: account.version + 1 };
      expect(await storage.get().accounts.replace(changed, account.version)).toBe('replaced');
      const refresh = oauth.refreshTokenGrant(journey.application, refreshToken);
      await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
      expect((await oauth.tokenIntrospection(api, token)).active).toBe(false);
      expect((await oauth.tokenIntrospection(journey.application, refreshToken)).active).toBe(false);
      await expect(oauth.fetchUserInfo(journey.application, token, journey.accountId)).rejects.toMatchObject({
        status: 401,
      });
      const page = await journey.browser.open((await createRequest(journey, { prompt: '' })).url);
      expect(page.html).toContain('id="sign-in"');
      expect((await journey.browser.open('/account')).url.pathname).toBe('/sign-in');
    });

    it('whose role is raised gets the new rights only by a new sign-in (OAuth 2.1 §4.3, RFC 9470)', async () => {
      const journey = await startJourney(server, { role: 'customer' });
      const { refresh_token: earlier = '' } = await obtainTokens(journey);
      await server.accounts.setRole(journey.accountId, 'agent', { address: 'cli', actor: 'operator' });
      const refresh = oauth.refreshTokenGrant(journey.application, earlier);
      await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
      const page = await journey.browser.open((await createRequest(journey, { prompt: '' })).url);
      expect(page.html).toContain('id="sign-in"');
    });
  });
});
