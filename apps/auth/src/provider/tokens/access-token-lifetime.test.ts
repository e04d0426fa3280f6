import { useStarted } from '@keydesk/testing';
import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { obtainTokens, startJourney } from '../../tests/people.fixture.ts';
import { basic, startTestServer, type TestServer } from '../../tests/test-server.fixture.ts';

const operator = { address: 'cli', actor: 'operator' };

interface Tokens {
  access_token: string;
  expires_in?: number;
}

/** Returns `expires_in` after comparing it with the claims of the token. */
function lifetimeOf({ access_token, expires_in }: Tokens): number | undefined {
  const { exp = 0, iat = 0 } = decodeJwt(access_token);
  expect(exp - iat).toBe(expires_in);
  return expires_in;
}

async function lifetimeOfMachine(server: TestServer, role: 'customer' | 'agent' | 'admin' | null) {
  const { id, secret } = await server.addClient({ role });
  const response = await server.requestToken({ grant_type: 'client_credentials' }, basic(id, secret));
  return lifetimeOf((await response.json()) as Tokens);
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  describe('the lifetime of an access token (RFC 6749 §5.1, RFC 9068 §2.2)', () => {
    it.each([
      ['customer', 600],
      ['agent', 300],
      ['admin', 300],
    ] as const)('of a user follows their role, on issue and on refresh: %s', async (role, seconds) => {
      const journey = await startJourney(server, { role });
      const first = await obtainTokens(journey);
      const next = await oauth.refreshTokenGrant(journey.application, first.refresh_token ?? '');
      expect([lifetimeOf(first), lifetimeOf(next)]).toEqual([seconds, seconds]);
    });

    it('gets longer with the next refresh when an agent becomes a customer', async () => {
      const journey = await startJourney(server, { role: 'agent' });
      const first = await obtainTokens(journey);
      await server.accounts.setRole(journey.accountId, 'customer', operator);
      const next = await oauth.refreshTokenGrant(journey.application, first.refresh_token ?? '');
      expect([lifetimeOf(first), lifetimeOf(next)]).toEqual([300, 600]);
    });

    it('is the same for an opaque token of the same user', async () => {
      const journey = await startJourney(server, { role: 'admin' });
      expect((await obtainTokens(journey, { scope: 'openid' })).expires_in).toBe(300);
    });

    it.each([
      [null, 600],
      ['customer', 600],
      ['agent', 300],
      ['admin', 300],
    ] as const)('of a machine follows its role: %s', async (role, seconds) => {
      expect(await lifetimeOfMachine(server, role)).toBe(seconds);
    });

    it('is configurable', async () => {
      const config = { accessTokenTtlSeconds: 450, staffAccessTokenTtlSeconds: 900 };
      const other = await startTestServer(storage.get(), { config });
      const lifetimes = [await lifetimeOfMachine(other, 'customer'), await lifetimeOfMachine(other, 'agent')];
      await other.stop();
      expect(lifetimes).toEqual([450, 900]);
    });
  });
});
