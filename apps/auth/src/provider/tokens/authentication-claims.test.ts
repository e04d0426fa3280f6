import { setTimeout as sleep } from 'node:timers/promises';
import { useStarted } from '@keydesk/testing';
import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { acrValues } from '../../accounts/account/authentication.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import {
  authorize,
  createRequest,
  type Journey,
  obtainTokens,
  redeem,
  signIn,
  startJourney,
} from '../../tests/people.fixture.ts';
import { basic, startTestServer } from '../../tests/test-server.fixture.ts';

/** Delay after which a new sign-in would have a different `auth_time`, which counts seconds. */
const NEXT_SECOND_MS = 1_100;
const [password, multiFactor, phishingResistant] = acrValues;
const signedIn = { acr: password, amr: ['pwd'], auth_time: expect.any(Number) };

/** Returns the claims about the authentication of the user. */
function pick({ acr, amr, auth_time }: Record<string, unknown> = {}) {
  return { acr, amr, auth_time };
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;
  beforeEach(async () => {
    journey = await startJourney(server);
  });

  const open = async (parameters: Record<string, string>) =>
    journey.browser.open((await createRequest(journey, { prompt: '', scope: 'openid', ...parameters })).url);
  const toClaims = (acr: object) => ({ claims: JSON.stringify({ id_token: { acr } }) });
  const introspect = async (token: string) =>
    pick(await oauth.tokenIntrospection(journey.application, token));

  describe('the authentication of the user in tokens', () => {
    it('is the same in ID token, access token (RFC 9068 §2.2.1) and introspection (RFC 9470 §6.2)', async () => {
      const tokens = await obtainTokens(journey);
      expect(pick(tokens.claims())).toEqual(signedIn);
      expect(pick(decodeJwt(tokens.access_token))).toEqual(pick(tokens.claims()));
      expect(await introspect(tokens.access_token)).toEqual(pick(tokens.claims()));
    });

    it('is in the introspection of an opaque token', async () => {
      const tokens = await obtainTokens(journey, { scope: 'openid' });
      expect(await introspect(tokens.access_token)).toEqual(pick(tokens.claims()));
    });

    it('stays that of the sign-in when tokens are refreshed (RFC 9068 §2.2.1)', async () => {
      const first = await obtainTokens(journey);
      await sleep(NEXT_SECOND_MS);
      for (let token = first.refresh_token ?? '', round = 0; round < 2; round++) {
        const next = await oauth.refreshTokenGrant(journey.application, token);
        token = next.refresh_token ?? '';
        expect(pick(next.claims())).toEqual(pick(first.claims()));
        expect(pick(decodeJwt(next.access_token))).toEqual(pick(first.claims()));
      }
    });

    it('is absent from the tokens of a machine, which has no user', async () => {
      const { id, secret } = await server.addClient();
      const response = await server.requestToken({ grant_type: 'client_credentials' }, basic(id, secret));
      const { access_token: token } = (await response.json()) as { access_token: string };
      expect(pick(decodeJwt(token))).toEqual(pick());
    });
  });

  describe('a class that the user cannot reach', () => {
    it.each([
      ['value', { value: 'urn:example:gold' }],
      ['values', { values: ['urn:example:gold', 'urn:example:silver'] }],
      ['no list of values', { values: 'urn:example:gold' }],
    ])(
      'fails at once if it is essential and not offered (%s, OpenID Connect Core §5.5.1.1)',
      async (_, wish) => {
        const refused = await open(toClaims({ essential: true, ...wish }));
        expect(refused.url.searchParams.get('error')).toBe('unmet_authentication_requirements');
        expect((await open(toClaims(wish))).html).toContain('id="sign-in"');
      },
    );

    it('is ignored if it is voluntary and not offered (§3.1.2.1)', async () => {
      const tokens = await obtainTokens(journey, { acr_values: 'urn:example:gold urn:example:silver' });
      expect(tokens.claims()?.acr).toBe(password);
    });
  });

  describe('a class that the session does not have (OpenID Connect Core §3.1.2.1)', () => {
    beforeEach(async () => void (await obtainTokens(journey, { scope: 'openid' })));

    it.each([
      ['acr_values', { acr_values: multiFactor }],
      ['a voluntary claim', toClaims({ value: multiFactor })],
      ['an essential value', toClaims({ essential: true, value: multiFactor })],
      ['essential values', toClaims({ essential: true, values: ['phr', multiFactor] })],
    ])('asks the user to sign in again, or fails with prompt=none: %s', async (_, parameters) => {
      expect((await open(parameters)).html).toContain('id="sign-in"');
      const silent = await open({ ...parameters, prompt: 'none' });
      expect(silent.url.searchParams.get('error')).toBe('login_required');
    });

    it.each([
      ['is enough', { acr_values: password }],
      ['is enough as an alternative', { acr_values: `phr ${password}` }],
      ['is essential', toClaims({ essential: true, values: [multiFactor, password] })],
    ])('is not needed where the present class %s', async (_, parameters) => {
      const { url } = await open({ ...parameters, prompt: 'none' });
      expect(url.searchParams.has('code')).toBe(true);
    });
  });

  describe('a step-up request of a client without the scope openid (RFC 9470 §4)', () => {
    /** Creates a plain OAuth request; a nonce needs the scope `openid`. */
    async function createPlainRequest(parameters: Record<string, string>) {
      const request = await createRequest(journey, { scope: 'tickets:read', prompt: '', ...parameters });
      request.url.searchParams.delete('nonce');
      return request;
    }
    const openPlain = async (parameters: Record<string, string>) =>
      journey.browser.open((await createPlainRequest(parameters)).url);

    it('gets an access token with the authentication of the user', async () => {
      const request = await createPlainRequest({ acr_values: password, max_age: '600' });
      const callback = await authorize(journey, request);
      const checks = { pkceCodeVerifier: request.verifier, expectedState: request.state };
      const tokens = await oauth.authorizationCodeGrant(journey.application, callback, checks);
      expect(pick(decodeJwt(tokens.access_token))).toEqual(signedIn);
    });

    it.each([
      ['acr_values', { acr_values: multiFactor }],
      ['max_age', { max_age: '0' }],
    ])('asks a user who is signed in again: %s', async (_, parameters) => {
      await obtainTokens(journey, { scope: 'openid tickets:read' });
      await sleep(NEXT_SECOND_MS);
      expect((await openPlain(parameters)).html).toContain('id="sign-in"');
      const silent = await openPlain({ ...parameters, prompt: 'none' });
      expect(silent.url.searchParams.get('error')).toBe('login_required');
    });

    it('can be pushed (RFC 9126)', async () => {
      await obtainTokens(journey, { scope: 'openid tickets:read' });
      const { url } = await createPlainRequest({ acr_values: multiFactor });
      const pushed = await oauth.buildAuthorizationUrlWithPAR(journey.application, url.searchParams);
      expect((await journey.browser.open(pushed)).html).toContain('id="sign-in"');
    });

    it.each(['-1', 'x'])('is rejected with the max_age %j', async (value) => {
      const { url } = await openPlain({ max_age: value });
      expect(url.searchParams.get('error')).toBe('invalid_request');
    });
  });

  describe('a sign-in that remains too weak', () => {
    it('ends a request for the voluntary claim with the class that was reached (OpenID Connect Core §5.5.1.1)', async () => {
      for (const scope of ['openid', 'openid profile']) {
        const voluntary = toClaims({ value: phishingResistant });
        const tokens = await obtainTokens(journey, { scope, ...voluntary, prompt: '' });
        expect(tokens.claims()?.acr).toBe(password);
      }
    });

    it.each([
      ['the essential claim (OpenID Connect Core §5.5.1.1)', toClaims({ essential: true, value: 'phr' })],
      ['acr_values, so that no client asks in a loop (RFC 9470 §5)', { acr_values: 'phr urn:example:gold' }],
    ])('fails a request with %s, without asking again', async (_, parameters) => {
      const request = await createRequest(journey, parameters);
      const { url } = await signIn(journey, await journey.browser.open(request.url));
      expect(url.searchParams.get('error')).toBe('unmet_authentication_requirements');
      await expect(redeem(journey, request, url)).rejects.toThrow();
    });

    it('in another tab does not continue a request for more', async () => {
      const asked = await open({ acr_values: phishingResistant });
      await signIn(journey, await journey.browser.open(`${server.url}/sign-in`));
      expect((await journey.browser.open(asked.url)).html).toContain('id="sign-in"');
    });
  });
});
