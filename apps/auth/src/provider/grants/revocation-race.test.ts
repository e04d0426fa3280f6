import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { type Journey, obtainTokens, startJourney } from '../../tests/people.fixture.ts';
import { startTestServer, type TestServer } from '../../tests/test-server.fixture.ts';

const operator = { address: 'cli', actor: 'operator' };
/** Numbers of refreshes after which the revocation starts. */
const STARTS_AFTER = [0, 1, 2, 3, 5];
/** Refreshes of one client that is never refused; a client of a correct server needs a few. */
const LIMIT = 200;

/** The second one refuses requests of a removed client. */
const refusals: readonly unknown[] = ['invalid_grant', 'invalid_client'];

/** Refreshes by two clients that share a refresh token. */
interface Family {
  /** Every refresh token that a client received, the first included. */
  tokens: Set<string>;
  isRevoked: boolean;
  /** Number of refreshes that began after the revocation and succeeded. */
  tooLate: number;
  /** Called after each refresh. */
  onRefresh: () => void;
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let other: TestServer;
  let journey: Journey;

  beforeAll(async () => {
    other = await startTestServer(await storage.openAnother(), { config: { issuer: server.url } });
    return () => other.stop();
  });

  /** Returns the next refresh token; `undefined` when the request is refused. Repeats it while the store is too busy. */
  async function refreshAt(at: TestServer, token: string): Promise<string | undefined> {
    const form = { grant_type: 'refresh_token', client_id: journey.clientId, refresh_token: token };
    const response = await at.requestToken(form);
    const body = (await response.json()) as { refresh_token?: string; error?: string };
    if (refusals.includes(body.error)) return undefined;
    if (response.status === 503) return refreshAt(at, token);
    expect([response.status, body.error]).toEqual([200, undefined]);
    return body.refresh_token;
  }

  /** Refreshes with the token that was received last, until the server refuses it. */
  async function refreshUntilRefused(at: TestServer, first: string, family: Family): Promise<void> {
    let token = first;
    for (let i = 0; i < LIMIT; i += 1) {
      const wasRevoked = family.isRevoked;
      const next = await refreshAt(at, token);
      if (next === undefined) return;
      if (wasRevoked) family.tooLate += 1;
      family.tokens.add(next);
      family.onRefresh();
      token = next;
    }
    throw new Error('The client is never refused.');
  }

  /** Starts both clients; resolves when they have received `count` tokens. */
  async function startFamily(first: string, count: number) {
    const started = Promise.withResolvers<void>();
    const family: Family = { tokens: new Set([first]), isRevoked: false, tooLate: 0, onRefresh: check };
    function check() {
      if (family.tokens.size > count) started.resolve();
    }
    const ended = Promise.all([server, other].map((at) => refreshUntilRefused(at, first, family)));
    check();
    await Promise.race([started.promise, ended]);
    return { family, ended };
  }

  async function race(revoke: (token: string) => Promise<unknown>): Promise<void> {
    for (const count of STARTS_AFTER) {
      journey = await startJourney(server, { type: 'spa' });
      const { refresh_token: first = '' } = await obtainTokens(journey);
      const { family, ended } = await startFamily(first, count);
      await revoke(first);
      family.isRevoked = true;
      await ended;
      expect(family.tooLate).toBe(0);
      for (const token of family.tokens) {
        expect(await refreshAt(server, token)).toBeUndefined();
      }
    }
  }

  describe('a revocation that races refreshes at two servers leaves no usable refresh token (RFC 7009 §2.1)', () => {
    it.each([
      ['its client revokes the grant', (token: string) => oauth.tokenRevocation(journey.application, token)],
      ['the account is disabled', () => server.accounts.disable(journey.accountId, operator)],
      ['the application is removed', () => server.clients.remove(journey.clientId)],
    ])('when %s', async (_, revoke) => race(revoke));
  });
});
