import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import {
  authorize,
  createRequest,
  type Journey,
  REDIRECT_URI,
  startJourney,
} from '../../tests/people.fixture.ts';
import { basic, startTestServer } from '../../tests/test-server.fixture.ts';

const security = { isPkceOptional: true };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney(server, { client: { security } });
  });

  /** Creates a request without PKCE parameters; an empty parameter is removed. */
  async function plainRequest(who: Journey, changes: Readonly<Record<string, string>> = {}) {
    const request = await createRequest(who, { scope: 'openid', prompt: '', ...changes });
    const { searchParams } = request.url;
    for (const name of ['code_challenge', 'code_challenge_method']) searchParams.delete(name);
    for (const [name, value] of Object.entries(changes)) if (value === '') searchParams.delete(name);
    return request;
  }
  const errorOf = async (who: Journey, url: URL) => {
    const { searchParams } = (await who.browser.open(url)).url;
    return [searchParams.get('error'), searchParams.get('error_description')];
  };

  describe('a web application with optional PKCE (OAuth 2.1 §7.5.1)', () => {
    it('signs users in with only a nonce', async () => {
      const request = await plainRequest(journey);
      const callback = await authorize(journey, request);
      const checks = { expectedState: request.state, expectedNonce: request.nonce };
      const tokens = await oauth.authorizationCodeGrant(journey.application, callback, checks);
      expect(tokens.claims()).toMatchObject({ sub: journey.accountId, nonce: request.nonce });
    });

    it.each([
      ['a nonce', { nonce: '' }],
      ['openid, which puts the nonce into an ID token', { scope: 'tickets:read', nonce: '' }],
    ])('is rejected without %s', async (_, changes) => {
      const { url } = await plainRequest(journey, changes);
      const description = 'code_challenge and nonce are missing; send at least one of them';
      expect(await errorOf(journey, url)).toEqual(['invalid_request', description]);
    });

    it('must use PKCE if it sends a challenge', async () => {
      const request = await createRequest(journey, { scope: 'openid', prompt: '' });
      const code = (await authorize(journey, request)).searchParams.get('code') ?? '';
      const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI };
      const response = await server.requestToken(form, basic(journey.clientId, journey.clientSecret));
      expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
    });
  });

  it('PKCE is required of every other web application, with a nonce or without (RFC 9700 §2.1.1)', async () => {
    const other = await startJourney(server);
    const [error] = await errorOf(other, (await plainRequest(other)).url);
    expect(error).toBe('invalid_request');
  });

  it.each(['spa', 'native'] as const)(
    'PKCE is required of a public client, whatever is stored: %s',
    async (type) => {
      const app = await startJourney(server, { type });
      const client = await server.clients.get(app.clientId);
      const next = { ...client, security: { ...client.security, ...security }, version: client.version + 1 };
      expect(await storage.get().clients.replace(next, client.version)).toBe(true);
      const [error] = await errorOf(app, (await plainRequest(app)).url);
      expect(error).toBe('invalid_request');
    },
  );
});
