import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import {
  createRequest,
  type Journey,
  obtainTokens,
  REDIRECT_URI,
  signIn,
  startJourney,
} from '../../tests/people.fixture.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';

const operator = { address: 'cli', actor: 'operator' };
const profile = {
  name: 'Ada Lovelace',
  given_name: 'Ada',
  family_name: 'Lovelace',
  locale: 'en-GB',
  phone_number: '+441632960001',
  address: { locality: 'London', country: 'GB' },
};

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney(server);
    await server.accounts.setProfile(journey.accountId, profile, operator);
  });

  async function ask(parameters: Readonly<Record<string, string>>) {
    const tokens = await obtainTokens(journey, { scope: 'openid', ...parameters });
    const userinfo = await oauth.fetchUserInfo(journey.application, tokens.access_token, journey.accountId);
    return { idToken: tokens.claims(), userinfo };
  }
  const claims = (request: unknown) => ({ claims: JSON.stringify(request) });

  describe('claims of a scope (OpenID Connect Core §5.4)', () => {
    it.each([
      ['profile', { name: 'Ada Lovelace', given_name: 'Ada', family_name: 'Lovelace', locale: 'en-GB' }],
      ['email', { email: expect.stringContaining('@'), email_verified: true }],
      ['address', { address: profile.address }],
      ['phone', { phone_number: '+441632960001', phone_number_verified: false }],
    ])('are those of %s only', async (scope, expected) => {
      const { userinfo } = await ask({ scope: `openid ${scope}` });
      const { sub, updated_at, ...rest } = userinfo;
      expect(rest).toEqual(expected);
    });
  });

  describe('individually requested claims (OpenID Connect Core §5.5)', () => {
    it('are rejected if the request repeats a name (RFC 8259 §4)', async () => {
      const claims = '{"userinfo":{"name":null},"userinfo":{"email":null}}';
      const { url } = await createRequest(journey, { scope: 'openid', claims });
      const { searchParams } = (await journey.browser.open(url)).url;
      expect([searchParams.get('error'), searchParams.get('error_description')]).toEqual([
        'invalid_request',
        'claims parameter repeats the name userinfo',
      ]);
    });

    it('are returned where they were requested, and nowhere else', async () => {
      const { idToken, userinfo } = await ask(
        claims({
          id_token: { locale: null },
          userinfo: { given_name: { essential: true }, phone_number: null },
        }),
      );
      expect(userinfo).toEqual({ sub: journey.accountId, given_name: 'Ada', phone_number: '+441632960001' });
      expect(idToken).toMatchObject({ locale: 'en-GB' });
      for (const claim of ['given_name', 'phone_number', 'email']) expect(idToken).not.toHaveProperty(claim);
    });

    it('are omitted if the account has no value, essential or not (§5.5.1)', async () => {
      const { userinfo } = await ask(
        claims({ userinfo: { nickname: { essential: true }, no_such_claim: null } }),
      );
      expect(userinfo).toEqual({ sub: journey.accountId });
    });

    it('include the time of sign-in in the ID token on request (§5.5.1.1)', async () => {
      const { idToken } = await ask(claims({ id_token: { auth_time: { essential: true } } }));
      expect(idToken).toHaveProperty('auth_time', expect.any(Number));
    });

    it('need consent, and the consent page names them', async () => {
      const stranger = await startJourney(server);
      const { url } = await createRequest(stranger, {
        scope: 'openid',
        ...claims({ userinfo: { address: null } }),
      });
      const page = await signIn(stranger, await stranger.browser.open(url));
      expect(page.html).toContain('id="consent"');
      expect(page.html).toContain('See your postal address');
    });

    it('are omitted if the application is not registered for their scope (RFC 6749 §3.3)', async () => {
      const bounded = await startJourney(server, { client: { scopes: ['openid', 'profile'] } });
      const parameters = { scope: 'openid', ...claims({ userinfo: { name: null, email: null } }) };
      const page = await signIn(
        bounded,
        await bounded.browser.open((await createRequest(bounded, parameters)).url),
      );
      expect(page.html).toContain('id="consent"');
      expect(page.html).not.toContain('See your e-mail address');
      const tokens = await obtainTokens(bounded, parameters);
      const userinfo = await oauth.fetchUserInfo(bounded.application, tokens.access_token, bounded.accountId);
      expect(userinfo).toEqual({ sub: bounded.accountId, name: 'Ada Lovelace' });
    });

    it.each([
      ['not JSON', '{'],
      ['not an object', '[]'],
      ['neither for userinfo nor for the ID token', '{}'],
      ['not an object of claims', '{"userinfo":[]}'],
      ['nested too deep to be stored', `{"userinfo":{"name":${'['.repeat(2_050)}${']'.repeat(2_050)}}}`],
    ])('are rejected with invalid_request if they are %s', async (_, text) => {
      const { url } = await createRequest(journey, { claims: text });
      const { url: back } = await journey.browser.open(url);
      expect(back.href.startsWith(REDIRECT_URI)).toBe(true);
      expect(back.searchParams.get('error')).toBe('invalid_request');
    });
  });
});
