import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { type Journey, obtainTokens, startJourney } from '../../tests/people.fixture.ts';
import { basic, startTestServer } from '../../tests/test-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  const revoke = (token: string, headers: Record<string, string>, form: Record<string, string> = {}) =>
    fetch(`${server.url}/token/revocation`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ token, ...form }),
    });
  const asClient = ({ clientId, clientSecret }: Journey) => basic(clientId, clientSecret);
  const isActive = async ({ application }: Journey, token: string) =>
    (await oauth.tokenIntrospection(application, token)).active;
  const refresh = ({ application }: Journey, token: string | undefined) =>
    oauth.refreshTokenGrant(application, String(token));

  describe('the revocation of an access token for the API (RFC 7009 §2.1)', () => {
    it.each(['access_token', 'refresh_token', undefined])(
      'revokes the tokens of its grant with the hint %s, and those of no other',
      async (hint) => {
        const journey = await startJourney(server);
        const elsewhere = { ...journey, browser: createBrowser(server.url) };
        const [tokens, others] = [await obtainTokens(journey), await obtainTokens(elsewhere)];
        const form = hint === undefined ? {} : { token_type_hint: hint };
        const response = await revoke(tokens.access_token, asClient(journey), form);
        expect([response.status, await response.text()]).toEqual([200, '']);
        expect(await isActive(journey, tokens.access_token)).toBe(false);
        await expect(refresh(journey, tokens.refresh_token)).rejects.toMatchObject({
          error: 'invalid_grant',
        });
        expect(await isActive(journey, others.access_token)).toBe(true);
        await refresh(journey, others.refresh_token);
      },
    );

    it('is available to public clients', async () => {
      const journey = await startJourney(server, { type: 'native' });
      const tokens = await obtainTokens(journey);
      const response = await revoke(tokens.access_token, {}, { client_id: journey.clientId });
      expect(response.status).toBe(200);
      await expect(refresh(journey, tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    it('is recorded with the account of the user', async () => {
      const journey = await startJourney(server);
      const { access_token: token } = await obtainTokens(journey);
      await revoke(token, asClient(journey));
      const { clientId, accountId } = journey;
      const types = ['token.revoked', 'grant.revoked'] as const;
      const records = await storage.get().audit.list({ accountId, types, limit: 5 });
      const party = { actor: clientId, clientId, accountId };
      expect(records).toHaveLength(2);
      expect(records).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ ...party, type: 'grant.revoked' }),
          expect.objectContaining({ ...party, type: 'token.revoked', details: { kind: 'AccessToken' } }),
        ]),
      );
    });

    it('answers 200 and revokes nothing for a token of another client or an invalid one (§2.2)', async () => {
      const [journey, other] = [await startJourney(server), await startJourney(server)];
      const { access_token: token } = await obtainTokens(journey);
      const forged = `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(86)}`;
      for (const [sent, client] of [
        [token, other],
        [forged, journey],
      ] as const) {
        const response = await revoke(sent, asClient(client));
        expect([response.status, await response.text()]).toEqual([200, '']);
      }
      expect(await isActive(journey, token)).toBe(true);
    });

    it('requires the authentication of a confidential client', async () => {
      const journey = await startJourney(server);
      const { access_token: token } = await obtainTokens(journey);
      expect((await revoke(token, basic(journey.clientId, 'wrong'))).status).toBe(401);
      expect(await isActive(journey, token)).toBe(true);
    });
  });

  describe('the revocation of a token that has no status of its own (RFC 7009 §2.2.1)', () => {
    it('is refused if the client itself is the subject, because its other tokens would end', async () => {
      const { id, secret } = await server.addClient();
      const answer = await server.requestToken({ grant_type: 'client_credentials' }, basic(id, secret));
      const { access_token: token } = (await answer.json()) as { access_token: string };
      const response = await revoke(token, basic(id, secret));
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ error: 'unsupported_token_type' }),
      ]);
    });

    it('is refused for an ID token', async () => {
      const journey = await startJourney(server);
      const { id_token: token, access_token } = await obtainTokens(journey);
      const response = await revoke(String(token), asClient(journey));
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ error: 'unsupported_token_type' }),
      ]);
      expect(await isActive(journey, access_token)).toBe(true);
    });
  });
});
