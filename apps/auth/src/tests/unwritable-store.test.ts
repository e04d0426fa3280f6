import { AppError } from '@keydesk/server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import type { Storage } from '../storage/storage.ts';
import { authorize, createRequest, type Journey, obtainTokens, startJourney } from './people.fixture.ts';
import { basic, password, startTestServer, type TestServer } from './test-server.fixture.ts';

type Method = (...args: unknown[]) => unknown;
const isRead = (name: string) => /^(find|list|load)/.test(name);

/** Wraps a storage so that its writes fail while `isFull` returns true. */
function failingWrites(storage: Storage, isFull: () => boolean): Storage {
  const fail = () => Promise.reject(new AppError('unavailable', 'The storage is full.'));
  const guarded = (port: object) =>
    Object.fromEntries(
      Object.entries(port).map(([name, method]: [string, Method]) => [
        name,
        isRead(name) ? method : (...args: unknown[]) => (isFull() ? fail() : method(...args)),
      ]),
    );
  const ports = Object.entries(storage).map(([name, port]) => [
    name,
    typeof port === 'object' ? guarded(port) : port,
  ]);
  return Object.fromEntries(ports) as Storage;
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  let isFull = false;
  let server: TestServer;
  let journey: Journey;

  beforeAll(async () => {
    server = await startTestServer(failingWrites(storage.get(), () => isFull));
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    isFull = false;
    journey = await startJourney(server);
  });

  const post = (path: string, form: Record<string, string>) =>
    fetch(server.url + path, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: basic(journey.clientId, journey.clientSecret),
    });

  /** Posts a form while writes fail; returns the status and the error code. */
  async function answerWhenFull(path: string, form: Record<string, string>) {
    isFull = true;
    const response = await post(path, form);
    return [response.status, ((await response.json()) as { error?: string }).error];
  }
  const unavailable = [503, 'temporarily_unavailable'];

  describe('while writes fail, a client is answered 503 (RFC 6749 §5.2)', () => {
    it('when it redeems a code, which stays valid', async () => {
      const request = await createRequest(journey);
      const callback = await authorize(journey, request);
      const form = {
        grant_type: 'authorization_code',
        code: callback.searchParams.get('code') ?? '',
        code_verifier: request.verifier,
        redirect_uri: 'https://app.example/callback',
      };
      expect(await answerWhenFull('/token', form)).toEqual(unavailable);
      isFull = false;
      expect((await post('/token', form)).status).toBe(200);
    });

    it('when it refreshes a token, which stays valid', async () => {
      const { refresh_token = '' } = await obtainTokens(journey);
      const form = { grant_type: 'refresh_token', refresh_token };
      expect(await answerWhenFull('/token', form)).toEqual(unavailable);
      isFull = false;
      expect((await post('/token', form)).status).toBe(200);
    });

    it('when it revokes a token (RFC 7009 §2.2.1)', async () => {
      const { refresh_token = '' } = await obtainTokens(journey);
      expect(await answerWhenFull('/token/revocation', { token: refresh_token })).toEqual(unavailable);
    });

    it('when it pushes an authorization request (RFC 9126 §2.3)', async () => {
      const form = {
        client_id: journey.clientId,
        response_type: 'code',
        scope: 'openid',
        redirect_uri: 'https://app.example/callback',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      };
      expect(await answerWhenFull('/request', form)).toEqual(unavailable);
    });
  });

  describe('while writes fail, a user is shown an error page', () => {
    /** Opens a page and submits its form once writes fail. */
    async function submitWhenFull(path: string, form: string, fields: Record<string, string>) {
      const page = await journey.browser.open(path);
      isFull = true;
      const { status, html } = await journey.browser.submit(page, form, fields);
      return [status, html.includes('id="error-unavailable"')];
    }
    const errorPage = [503, true];
    const signIn = async () => void (await authorize(journey, await createRequest(journey)));

    it.each([
      ['/sign-in', 'sign-in', () => ({ email: journey.email, password })],
      ['/sign-up', 'sign-up', () => ({ name: 'Eve', email: 'eve@example.org', password })],
      ['/forgot-password', 'forgot-password', () => ({ email: journey.email })],
    ])('on %s', async (path, form, toFields) => {
      expect(await submitWhenFull(path, form, toFields())).toEqual(errorPage);
    });

    it.each([
      ['/account/name', 'change-name', { name: 'Grace' }],
      [
        '/account/password',
        'change-password',
        { current_password: password, new_password: 'seven quiet harbours' },
      ],
      ['/account/email', 'change-email', { email: 'grace@example.org', current_password: password }],
      ['/session/end', 'log-out', { logout: 'yes' }],
    ])('on %s, signed in', async (path, form, fields) => {
      await signIn();
      expect(await submitWhenFull(path, form, fields)).toEqual(errorPage);
    });

    it('on the consent page', async () => {
      const { url } = await createRequest(journey);
      const page = await journey.browser.open(url);
      const consent = await journey.browser.submit(page, 'sign-in', { email: journey.email, password });
      isFull = true;
      const { status, html } = await journey.browser.submit(consent, 'consent', { decision: 'allow' });
      expect([status, html.includes('id="error-unavailable"')]).toEqual(errorPage);
    });
  });
});
