import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import {
  authorize,
  createRequest,
  type Journey,
  obtainTokens,
  REDIRECT_URI,
  startJourney,
} from '../../tests/people.fixture.ts';
import { basic, startTestServer } from '../../tests/test-server.fixture.ts';

const INVALID_CODE =
  'The authorization code is invalid, expired or already used; start a new authorization request.';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  // With this interval, a server that is a minute ahead has not missed a key rotation.
  const config = { refreshReplaySeconds: 0, keyPollSeconds: 60 };
  const server = useStarted(() => startTestServer(storage.get(), { config }));
  let journey: Journey;
  let other: Journey;
  beforeAll(async () => {
    journey = await startJourney(server);
    other = await startJourney(server);
  });

  type Form = Record<string, string>;
  async function errorOf(form: Form, { clientId, clientSecret } = journey) {
    const response = await server.requestToken(form, basic(clientId, clientSecret));
    const { error, error_description } = (await response.json()) as Form;
    return [response.status, error, error_description];
  }

  /** Creates a code and returns the form that redeems it. */
  async function newForm(): Promise<Form> {
    const { url, verifier } = await createRequest(journey);
    const callback = await authorize(journey, { url, verifier, state: '', nonce: '' });
    const code = callback.searchParams.get('code') ?? '';
    const grant_type = 'authorization_code';
    return { grant_type, code, redirect_uri: REDIRECT_URI, code_verifier: verifier };
  }

  describe('error_description of invalid_grant (RFC 6749 §5.2)', () => {
    it.each([
      [
        'another redirect URI',
        { redirect_uri: 'https://other.example/' },
        'redirect_uri differs from the authorization request; send the same value.',
      ],
      [
        'another verifier',
        { code_verifier: 'v'.repeat(43) },
        'code_verifier does not match code_challenge; send the verifier of the code_challenge.',
      ],
      [
        'no verifier',
        { code_verifier: '' },
        'code_verifier is missing; send the verifier of the code_challenge.',
      ],
      ['an unknown code', { code: 'c'.repeat(43) }, INVALID_CODE],
    ])('names the fault of a code: %s', async (_, changes, description) => {
      expect(await errorOf({ ...(await newForm()), ...changes })).toEqual([
        400,
        'invalid_grant',
        description,
      ]);
    });

    it('reports a code that was used before', async () => {
      const form = await newForm();
      await server.requestToken(form, basic(journey.clientId, journey.clientSecret));
      const description = 'The authorization code was already used; start a new authorization request.';
      expect(await errorOf(form)).toEqual([400, 'invalid_grant', description]);
    });

    it('describes a code to another client as unknown, whatever else is wrong', async () => {
      const form = await newForm();
      for (const changes of [
        {},
        { redirect_uri: 'https://other.example/' },
        { code_verifier: 'v'.repeat(43) },
      ])
        expect(await errorOf({ ...form, ...changes }, other)).toEqual([400, 'invalid_grant', INVALID_CODE]);
    });

    it('describes an expired code as an unknown one', async () => {
      const form = await newForm();
      server.time.ahead = 61_000;
      const refusal = await errorOf(form);
      server.time.ahead = 0;
      expect(refusal).toEqual([400, 'invalid_grant', INVALID_CODE]);
    });

    it('reports a refresh token that was used before or is invalid', async () => {
      const { refresh_token = '' } = await obtainTokens(journey);
      const form = { grant_type: 'refresh_token', refresh_token };
      await server.requestToken(form, basic(journey.clientId, journey.clientSecret));
      expect((await errorOf(form))[2]).toBe(
        'The refresh token was already used; start a new authorization request.',
      );
      const invalidToken =
        'The refresh token is invalid, expired or already used; start a new authorization request.';
      expect((await errorOf({ ...form, refresh_token: 'r'.repeat(43) }))[2]).toBe(invalidToken);
      const another = await obtainTokens(journey);
      expect((await errorOf({ ...form, refresh_token: another.refresh_token ?? '' }, other))[2]).toBe(
        invalidToken,
      );
    });

    it('reports a proof with another key (RFC 9449 §5)', async () => {
      const native = await startJourney(server, { type: 'native' });
      const newHandle = async () =>
        oauth.getDPoPHandle(native.application, await oauth.randomDPoPKeyPair('ES256'));
      const { refresh_token = '' } = await obtainTokens(native, {}, { DPoP: await newHandle() });
      const options = { DPoP: await newHandle() };
      const refused = oauth.refreshTokenGrant(native.application, refresh_token, {}, options);
      await expect(refused).rejects.toMatchObject({
        error: 'invalid_grant',
        error_description:
          'The DPoP proof is missing or made with another key; use the key that the grant is bound to.',
      });
    });
  });

  describe('error_description of invalid_scope (RFC 6749 §4.1.2.1, §5.2)', () => {
    const NOT_ALLOWED =
      'The scope tickets:delete is not allowed for this client; request scopes that it is registered for.';
    const UNKNOWN = 'The scope calendar:read is unknown; request scopes listed in scopes_supported.';

    it.each([
      ['openid tickets:delete', NOT_ALLOWED],
      ['openid calendar:read', UNKNOWN],
    ])('names the scope at the authorization endpoint: %s', async (scope, description) => {
      const { url } = await createRequest(journey, { scope });
      const { searchParams } = (await journey.browser.open(url)).url;
      expect([searchParams.get('error'), searchParams.get('error_description')]).toEqual([
        'invalid_scope',
        description,
      ]);
    });

    it.each([
      ['tickets:delete', NOT_ALLOWED],
      ['calendar:read', UNKNOWN],
    ])('names the scope at the token endpoint: %s', async (scope, description) => {
      const machine = await server.addClient({ scopes: ['tickets:read'] });
      const form = { grant_type: 'client_credentials', scope };
      const response = await server.requestToken(form, basic(machine.id, machine.secret));
      expect(await response.json()).toMatchObject({
        error: 'invalid_scope',
        error_description: description,
        scope,
      });
    });

    it('names the scope that a refresh token does not cover (RFC 6749 §6)', async () => {
      const { refresh_token = '' } = await obtainTokens(journey);
      const form = { grant_type: 'refresh_token', refresh_token, scope: 'openid tickets:write' };
      expect(await errorOf(form)).toEqual([
        400,
        'invalid_scope',
        'The refresh token does not cover the scope tickets:write; request scopes that it covers.',
      ]);
    });
  });
});
