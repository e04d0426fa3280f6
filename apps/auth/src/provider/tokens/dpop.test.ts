import { once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { createDpopKey, type DpopKey, type ProofOverrides, useStarted } from '@keydesk/testing';
import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import {
  authorize,
  createRequest,
  type Journey,
  obtainTokens,
  redeem,
  startJourney,
} from '../../tests/people.fixture.ts';
import { basic, startTestServer, type TestServer } from '../../tests/test-server.fixture.ts';

const machineGrant = { grant_type: 'client_credentials', scope: 'tickets:read' };
const now = () => Math.floor(Date.now() / 1000);

/** Sends a token request with a raw target and headers that `fetch` would not send, and returns its status. */
async function statusOf(port: string, path: string, headers: Record<string, string>): Promise<number> {
  const type = 'application/x-www-form-urlencoded';
  const sent = openRequest({ port, path, method: 'POST', headers: { ...headers, 'Content-Type': type } });
  sent.end(String(new URLSearchParams(machineGrant)));
  const [response]: IncomingMessage[] = await once(sent, 'response');
  response?.resume();
  return response?.statusCode ?? 0;
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  const other = useStarted(async () =>
    startTestServer(await storage.openAnother(), { config: { issuer: server.url } }),
  );
  let web: Journey;
  let native: Journey;
  beforeAll(async () => {
    web = await startJourney(server);
    native = await startJourney(server, { type: 'native' });
  });

  const newHandle = async ({ application }: Journey, alg = 'ES256') =>
    oauth.getDPoPHandle(application, await oauth.randomDPoPKeyPair(alg));

  /** Creates a valid proof for the token endpoint, with the given overrides. */
  const prove = (key: DpopKey, { claims, ...overrides }: ProofOverrides = {}) =>
    key.proof(
      { method: 'POST', url: `${server.url}/token`, token: '' },
      { claims: { ath: undefined, ...claims }, ...overrides },
    );

  async function post(form: Record<string, string>, headers: Record<string, string>, at = server) {
    const response = await at.requestToken(form, headers);
    const body = (await response.json()) as Record<'error' | 'access_token' | 'refresh_token', string>;
    return { status: response.status, ...body };
  }

  async function newMachine(security?: Parameters<TestServer['addClient']>[0]) {
    const { id, secret } = await server.addClient(security);
    return (proof?: string, at = server) =>
      post(machineGrant, { ...basic(id, secret), ...(proof !== undefined && { DPoP: proof }) }, at);
  }

  describe('an access token that is bound to a key (RFC 9449 §5, §6.1)', () => {
    it.each(['ES256', 'Ed25519'])('is issued to an application with an %s key', async (alg) => {
      const DPoP = await newHandle(native, alg);
      const tokens = await obtainTokens(native, {}, { DPoP });
      expect(tokens.token_type).toBe('dpop');
      const cnf = { jkt: await DPoP.calculateThumbprint() };
      expect(decodeJwt(tokens.access_token)).toMatchObject({ cnf });
      const refreshed = await oauth.refreshTokenGrant(
        native.application,
        tokens.refresh_token ?? '',
        undefined,
        {
          DPoP,
        },
      );
      expect(decodeJwt(refreshed.access_token)).toMatchObject({ cnf });
    });

    it('is issued to a machine', async () => {
      const [request, key] = [await newMachine(), createDpopKey()];
      const { access_token } = await request(prove(key));
      expect(decodeJwt(access_token)).toMatchObject({ cnf: { jkt: key.thumbprint } });
    });

    it('is not issued to an application that sends no proof', async () => {
      const tokens = await obtainTokens(native);
      expect(tokens.token_type).toBe('bearer');
      expect(decodeJwt(tokens.access_token)).not.toHaveProperty('cnf');
    });

    it('works at the userinfo endpoint only with a proof of its key (§7.1, §7.2)', async () => {
      const DPoP = await newHandle(native);
      const { access_token } = await obtainTokens(native, { scope: 'openid' }, { DPoP });
      const userinfo = await oauth.fetchUserInfo(native.application, access_token, native.accountId, {
        DPoP,
      });
      expect(userinfo.sub).toBe(native.accountId);
      for (const options of [undefined, { DPoP: await newHandle(native) }]) {
        const refused = oauth.fetchUserInfo(native.application, access_token, native.accountId, options);
        await expect(refused).rejects.toMatchObject({ status: 401 });
      }
    });
  });

  describe('a client registered with dpop_bound_access_tokens (RFC 9449 §5.2)', () => {
    const security = { dpopBoundAccessTokens: true };

    it('gets no token for itself without a proof', async () => {
      const request = await newMachine({ security });
      expect(await request()).toMatchObject({ status: 400, error: 'invalid_grant' });
      expect(await request(prove(createDpopKey()))).toMatchObject({ status: 200 });
    });

    it('gets no token for a user without a proof, by code or refresh token', async () => {
      const bound = await startJourney(server, { client: { security } });
      await expect(obtainTokens(bound)).rejects.toMatchObject({ error: 'invalid_grant' });
      const { refresh_token = '' } = await obtainTokens(bound, {}, { DPoP: await newHandle(bound) });
      const refreshed = oauth.refreshTokenGrant(bound.application, refresh_token);
      await expect(refreshed).rejects.toMatchObject({ error: 'invalid_grant' });
    });
  });

  describe('a code bound to a key by dpop_jkt (RFC 9449 §10)', () => {
    it('is invalid with another key or without a proof', async () => {
      const DPoP = await newHandle(native);
      const dpop_jkt = await DPoP.calculateThumbprint();
      for (const options of [{ DPoP: await newHandle(native) }, undefined]) {
        const stolen = obtainTokens(native, { dpop_jkt }, options);
        await expect(stolen).rejects.toMatchObject({ error: 'invalid_grant' });
      }
      expect((await obtainTokens(native, { dpop_jkt }, { DPoP })).token_type).toBe('dpop');
    });
  });

  describe('a proof is rejected (RFC 9449 §4.3)', () => {
    const leaked = createDpopKey();
    it.each<[string, ProofOverrides]>([
      ['of another type (no. 4)', { header: { typ: 'jwt' } }],
      ['without a signature (no. 5)', { header: { alg: 'none' }, sign: () => new Uint8Array() }],
      ['with a symmetric algorithm (no. 5)', { header: { alg: 'HS256' } }],
      ['without a key (no. 6)', { header: { jwk: undefined } }],
      ['signed by another key (no. 6)', { sign: createDpopKey().sign }],
      ['with a private key (no. 7)', { header: { jwk: leaked.privateJwk }, sign: leaked.sign }],
      ['for another method (no. 8)', { claims: { htm: 'GET' } }],
      ['for another URI (no. 9)', { claims: { htu: 'https://other.example/token' } }],
      ['for another endpoint (no. 9)', { claims: { htu: 'http://127.0.0.1/par' } }],
      ['with a nonce that the server did not issue (no. 10)', { claims: { nonce: 'mine' } }],
      ['that is old (no. 11)', { claims: { iat: now() - 400 } }],
      ['with an iat in the future (no. 11, FAPI 2.0 §5.3.2.1 no. 13)', { claims: { iat: now() + 200 } }],
      ['without an iat (no. 3)', { claims: { iat: undefined } }],
      ['without a jti (no. 3)', { claims: { jti: undefined } }],
    ])('%s', async (_, overrides) => {
      const request = await newMachine();
      expect(await request(prove(createDpopKey(), overrides))).toMatchObject({
        status: 400,
        error: 'invalid_dpop_proof',
      });
    });

    it.each(['ES384', 'RS256'] as const)('with %s, which the API does not accept (no. 5)', async (alg) => {
      const request = await newMachine();
      const answer = await request(prove(createDpopKey({ alg })));
      expect(answer).toMatchObject({ status: 400, error: 'invalid_dpop_proof' });
    });

    it('unless its htu matches the issuer, whatever Host and proxy headers say (no. 9)', async () => {
      const { id, secret } = await server.addClient();
      const forged = {
        Host: 'other.example',
        'X-Forwarded-Host': 'other.example',
        'X-Forwarded-Proto': 'https',
        Forwarded: 'host=other.example;proto=https',
      };
      const statusFor = async (htu: string, target = '/token') => {
        const DPoP = prove(createDpopKey(), { claims: { htu } });
        const headers = { ...forged, ...basic(id, secret), DPoP };
        return statusOf(new URL(server.url).port, target, headers);
      };
      for (const target of ['/token', '/token?a=b', 'http://other.example/token']) {
        expect(await statusFor(`${server.url}/token`, target)).toBe(200);
        for (const origin of ['http://other.example', 'https://other.example'])
          expect(await statusFor(`${origin}/token`, target)).toBe(400);
      }
      for (const addition of ['?a=b', '#fragment'])
        expect(await statusFor(`${server.url}/token${addition}`)).toBe(200);
    });

    it('if it is one of two (no. 1) or malformed (no. 2)', async () => {
      const [request, key] = [await newMachine(), createDpopKey()];
      for (const proofs of [`${prove(key)}, ${prove(key)}`, 'nonsense', 'bnVsbA.e30.', 'e30.e30.e30'])
        expect(await request(proofs)).toMatchObject({ status: 400, error: 'invalid_dpop_proof' });
    });
  });

  describe('a used proof (RFC 9449 §11.1)', () => {
    it('is rejected, even by another process', async () => {
      const [request, proof] = [await newMachine(), prove(createDpopKey())];
      expect((await request(proof)).status).toBe(200);
      for (const at of [server, other]) expect(await request(proof, at)).toMatchObject({ status: 400 });
    });

    it('is accepted for exactly one of ten concurrent requests at two servers', { repeats: 3 }, async () => {
      const [request, proof] = [await newMachine(), prove(createDpopKey())];
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => request(proof, i % 2 ? server : other)),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(400)]);
    });

    it('is rejected until it is too old, even if a clock that is ahead made it', async () => {
      const claims = { iat: now() + 55, htu: `${server.url}/request` };
      const headers = { DPoP: prove(createDpopKey(), { claims }) };
      const { url } = await createRequest(native);
      const push = async () =>
        (await fetch(`${server.url}/request`, { method: 'POST', body: url.searchParams, headers })).status;
      expect(await push()).toBe(201);
      server.time.ahead = 340_000;
      const again = await push();
      server.time.ahead = 0;
      expect(again).toBe(400);
    });

    it('is rejected at the userinfo endpoint', async () => {
      const key = createDpopKey();
      const request = await createRequest(native, { scope: 'openid' });
      const callback = await authorize(native, request);
      const form = {
        grant_type: 'authorization_code',
        client_id: native.clientId,
        code: callback.searchParams.get('code') ?? '',
        code_verifier: request.verifier,
        redirect_uri: 'https://app.example/callback',
      };
      const { access_token: token } = await post(form, { DPoP: prove(key) });
      const headers = { Authorization: `DPoP ${token}`, DPoP: key.proof({ url: `${server.url}/me`, token }) };
      expect((await fetch(`${server.url}/me`, { headers })).status).toBe(200);
      expect((await fetch(`${server.url}/me`, { headers })).status).toBe(401);
    });
  });

  describe('a refresh token issued with a proof (RFC 9449 §5)', () => {
    const refresh = (journey: Journey, token: string | undefined, DPoP?: oauth.DPoPHandle) =>
      oauth.refreshTokenGrant(journey.application, token ?? '', undefined, DPoP && { DPoP });

    it('is invalid without the key if the client is public', async () => {
      const DPoP = await newHandle(native);
      const { refresh_token } = await obtainTokens(native, {}, { DPoP });
      for (const handle of [undefined, await newHandle(native)])
        await expect(refresh(native, refresh_token, handle)).rejects.toMatchObject({
          error: 'invalid_grant',
        });
      expect((await refresh(native, refresh_token, DPoP)).token_type).toBe('dpop');
    });

    it('is valid with a new key if the client authenticates', async () => {
      const { refresh_token } = await obtainTokens(web, {}, { DPoP: await newHandle(web) });
      expect((await refresh(web, refresh_token, await newHandle(web))).token_type).toBe('dpop');
    });

    it('replays the same response within the window for a new proof of the same key', async () => {
      for (const journey of [web, native]) {
        const DPoP = await newHandle(journey);
        const { refresh_token } = await obtainTokens(journey, {}, { DPoP });
        const first = await refresh(journey, refresh_token, DPoP);
        expect(await refresh(journey, refresh_token, DPoP)).toEqual(first);
      }
    });

    it('is revoked with its family on reuse with another key or without a proof (RFC 9700 §4.14.2)', async () => {
      for (const another of [await newHandle(web), undefined]) {
        const request = await createRequest(web);
        const DPoP = await newHandle(web);
        const tokens = await redeem(web, request, await authorize(web, request), { DPoP });
        const { refresh_token } = await refresh(web, tokens.refresh_token, DPoP);
        await expect(refresh(web, tokens.refresh_token, another)).rejects.toMatchObject({
          error: 'invalid_grant',
        });
        await expect(refresh(web, refresh_token, DPoP)).rejects.toMatchObject({ error: 'invalid_grant' });
      }
    });
  });
});
