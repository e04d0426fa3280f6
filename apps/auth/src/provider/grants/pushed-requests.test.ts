import { hash } from 'node:crypto';
import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import {
  authorize,
  createRequest,
  type Journey,
  REDIRECT_URI,
  redeem,
  startJourney,
} from '../../tests/people.fixture.ts';
import {
  errorIn,
  type KeyJourney,
  newRequest,
  push,
  startKeyJourney,
} from '../../tests/signing-clients.fixture.ts';
import { basic, startTestServer } from '../../tests/test-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let web: Journey;
  let signer: KeyJourney;
  beforeAll(async () => {
    web = await startJourney(server);
    signer = await startKeyJourney(server);
  });

  const authenticationOf = ({ clientId, clientSecret }: Journey) => basic(clientId, clientSecret);

  /** Pushes a request and returns the URL that the browser opens. */
  async function pushedUrl(journey: Journey) {
    const { request, parameters } = await newRequest(journey);
    const { request_uri } = await push(server, parameters, authenticationOf(journey));
    return {
      request,
      url: new URL(`/auth?${new URLSearchParams({ client_id: journey.clientId, request_uri })}`, server.url),
    };
  }

  describe('a pushed authorization request (RFC 9126)', () => {
    it.each([
      ['a secret', { type: 'web' }],
      ['no authentication, as a public client', { type: 'native' }],
    ] as const)(
      'completes the flow of an application with %s, hidden from the browser (§2, §4)',
      async (_, options) => {
        const journey = await startJourney(server, options);
        const { request, parameters } = await newRequest(journey);
        const url = await oauth.buildAuthorizationUrlWithPAR(journey.application, parameters);
        expect([...url.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri']);
        const tokens = await redeem(journey, request, await authorize(journey, { ...request, url }));
        expect(tokens.claims()?.sub).toBe(journey.accountId);
      },
    );

    it('completes the flow of an application with keys', async () => {
      const { request, parameters } = await newRequest(signer);
      const url = await oauth.buildAuthorizationUrlWithPAR(signer.application, parameters);
      const tokens = await redeem(signer, request, await authorize(signer, { ...request, url }));
      expect(tokens.claims()?.sub).toBe(signer.accountId);
    });

    it('expires after a minute, and only a digest of its URI is stored (§2.2, §7.1)', async () => {
      const { parameters } = await newRequest(web);
      const { status, expires_in, request_uri } = await push(server, parameters, authenticationOf(web));
      expect([status, expires_in]).toEqual([201, 60]);
      const id = /^urn:ietf:params:oauth:request_uri:([\w-]{22,})$/.exec(request_uri)?.[1] ?? '';
      const stored = (key: string) =>
        storage.get().artifacts.find('PushedAuthorizationRequest', key, new Date());
      expect(await stored(id)).toBeUndefined();
      const { payload = new Uint8Array() } = (await stored(hash('sha256', id, 'base64url'))) ?? {};
      expect(payload.length).toBeGreaterThan(0);
      expect(Buffer.from(payload).toString('latin1')).not.toContain(REDIRECT_URI);
    });

    it('binds the code to the key of its DPoP proof (RFC 9449 §10.1)', async () => {
      const newHandle = async () => oauth.getDPoPHandle(web.application, await oauth.randomDPoPKeyPair());
      const DPoP = await newHandle();
      const obtain = async (options?: oauth.DPoPOptions) => {
        const { request, parameters } = await newRequest(web);
        const url = await oauth.buildAuthorizationUrlWithPAR(web.application, parameters, { DPoP });
        return redeem(web, request, await authorize(web, { ...request, url }), options);
      };
      for (const options of [undefined, { DPoP: await newHandle() }])
        await expect(obtain(options)).rejects.toMatchObject({ error: 'invalid_grant' });
      expect((await obtain({ DPoP })).token_type).toBe('dpop');
    });

    it.each<[string, Record<string, string>, string]>([
      [
        'names a request URI (§2.1)',
        { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
        'request_uri_not_supported',
      ],
      [
        'has a redirect URI that is not registered (§2.4)',
        { redirect_uri: 'https://evil.example/' },
        'invalid_request',
      ],
      ['has no PKCE challenge (RFC 9700 §2.1.1)', { code_challenge: '' }, 'invalid_request'],
      [
        'requests a token from the authorization endpoint (RFC 9700 §2.1.2)',
        { response_type: 'token' },
        'unsupported_response_type',
      ],
      [
        'requests a scope that the client is not allowed',
        { scope: 'openid tickets:delete' },
        'invalid_scope',
      ],
      ['requests another API (RFC 8707 §2)', { resource: 'https://other.example' }, 'invalid_target'],
      [
        'names another key than its proof (RFC 9449 §10.1)',
        { dpop_jkt: 'x'.repeat(43), proven: '' },
        'invalid_request',
      ],
    ])('is rejected if it %s', async (_, { proven, ...changes }, error) => {
      const { parameters } = await newRequest(web);
      const DPoP = await oauth.getDPoPHandle(web.application, await oauth.randomDPoPKeyPair());
      const sent =
        proven === undefined
          ? push(server, { ...parameters, ...changes }, authenticationOf(web))
          : oauth.buildAuthorizationUrlWithPAR(web.application, { ...parameters, ...changes }, { DPoP });
      const answer = await sent.catch((err) => err);
      expect(answer).toMatchObject({ status: 400, error });
    });

    it('is rejected without client authentication (§2.1)', async () => {
      const { parameters } = await newRequest(web);
      expect(await push(server, parameters)).toMatchObject({ status: 401, error: 'invalid_client' });
      const wrong = basic(web.clientId, 'wrong');
      expect(await push(server, parameters, wrong)).toMatchObject({ status: 401, error: 'invalid_client' });
    });

    it('is logged with its client if it is rejected', async () => {
      const { parameters } = await newRequest(web);
      await push(server, { ...parameters, scope: 'openid tickets:delete' }, authenticationOf(web));
      const entry = { event: 'authorization_request.refused', client_id: web.clientId };
      await expect.poll(() => server.lines()).toContainEqual(expect.objectContaining(entry));
    });

    it('is rejected with methods other than POST (§2.3)', async () => {
      const { status, headers } = await fetch(`${server.url}/request`);
      expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    });
  });

  describe('a request_uri (RFC 9126 §2.2, §4)', () => {
    const open = async (url: URL) => errorIn(await web.browser.open(url));

    it('is valid for one authorization', async () => {
      const { request, url } = await pushedUrl(web);
      await redeem(web, request, await authorize(web, { ...request, url }));
      expect(await open(url)).toBe('invalid_request_uri');
    });

    it('is valid for one of two users who opened it concurrently', async () => {
      const { request, url } = await pushedUrl(web);
      const other = { ...(await startJourney(server)), clientId: web.clientId };
      const shown = await Promise.all([web, other].map(({ browser }) => browser.open(url)));
      expect(shown.map(({ status }) => status)).toEqual([200, 200]);
      const ends = await Promise.all(
        [web, other].map(async (journey) => (await authorize(journey, { ...request, url })).searchParams),
      );
      expect(ends.filter((answer) => answer.has('code'))).toHaveLength(1);
      expect(ends.map((answer) => answer.get('error'))).toContain('invalid_request_uri');
    });

    it('expires after a minute', async () => {
      const { url } = await pushedUrl(web);
      server.time.ahead = 61_000;
      const error = await open(url);
      server.time.ahead = 0;
      expect(error).toBe('invalid_request_uri');
    });

    it('is invalid for another client', async () => {
      const { url } = await pushedUrl(web);
      url.searchParams.set('client_id', signer.clientId);
      const page = await web.browser.open(url);
      expect(errorIn(page)).toBe('invalid_request_object');
    });

    it.each(['urn:ietf:params:oauth:request_uri:unknown', 'urn:ietf:params:oauth:request_uri:'])(
      'is invalid if the server did not issue it: %s',
      async (request_uri) => {
        const { url } = await pushedUrl(web);
        url.searchParams.set('request_uri', request_uri);
        expect(await open(url)).toBe('invalid_request_uri');
      },
    );

    it('overrides parameters that the browser adds (§4)', async () => {
      const { request, url } = await pushedUrl(web);
      url.searchParams.set('scope', 'openid');
      url.searchParams.set('state', 'forged');
      const callback = await authorize(web, { ...request, url });
      expect(callback.searchParams.get('state')).toBe(request.state);
    });
  });

  describe('a client registered with require_pushed_authorization_requests (RFC 9126 §6)', () => {
    it('cannot send a request through the browser', async () => {
      const security = { requirePushedAuthorizationRequests: true };
      const journey = await startJourney(server, { client: { security } });
      const { url } = await createRequest(journey);
      expect(errorIn(await journey.browser.open(url))).toBe('invalid_request');
      const { request, url: good } = await pushedUrl(journey);
      expect((await authorize(journey, { ...request, url: good })).searchParams.has('code')).toBe(true);
    });
  });
});
