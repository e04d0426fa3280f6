import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { type Journey, obtainTokens, startJourney } from '../../tests/people.fixture.ts';
import { basic, startTestServer } from '../../tests/test-server.fixture.ts';

const operator = { address: 'cli', actor: 'operator' };
const SCOPE = 'openid email offline_access tickets:read';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney(server);
  });

  const getUserInfo = ({ application, accountId }: Journey, token: string, options?: oauth.DPoPOptions) =>
    oauth.fetchUserInfo(application, token, accountId, options);

  /** Returns the status of a userinfo request that no client library has checked first. */
  async function statusFor(token: string): Promise<number> {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${server.url}/me`, { headers })).status;
  }

  describe('an access token for the API at the userinfo endpoint (OpenID Connect Core §5.3)', () => {
    it('returns the claims of the requested scopes, on issue and on refresh', async () => {
      const first = await obtainTokens(journey, { scope: SCOPE });
      const expected = { sub: journey.accountId, email: journey.email, email_verified: true };
      expect(await getUserInfo(journey, first.access_token)).toEqual(expected);
      const next = await oauth.refreshTokenGrant(journey.application, first.refresh_token ?? '');
      expect(await getUserInfo(journey, next.access_token)).toEqual(expected);
      const form = { scope: 'openid tickets:read' };
      const less = await oauth.refreshTokenGrant(journey.application, next.refresh_token ?? '', form);
      expect(await getUserInfo(journey, less.access_token)).toEqual({ sub: journey.accountId });
    });

    it('returns individually requested claims (§5.5)', async () => {
      const claims = JSON.stringify({ userinfo: { name: null } });
      const { access_token } = await obtainTokens(journey, { scope: 'openid tickets:read', claims });
      expect(await getUserInfo(journey, access_token)).toEqual({
        sub: journey.accountId,
        name: 'Ada Lovelace',
      });
    });

    it('is rejected if it was requested without openid (§5.3.1)', async () => {
      const { refresh_token = '' } = await obtainTokens(journey, { scope: SCOPE });
      const form = { scope: 'tickets:read' };
      const { access_token } = await oauth.refreshTokenGrant(journey.application, refresh_token, form);
      expect(await statusFor(access_token)).toBe(403);
    });

    it('is rejected if it is a machine token, an ID token or altered (RFC 6750 §3.1)', async () => {
      const { access_token, id_token = '' } = await obtainTokens(journey, { scope: SCOPE });
      const { id, secret } = await server.addClient();
      const form = { grant_type: 'client_credentials', scope: 'tickets:read' };
      const answer = await server.requestToken(form, basic(id, secret));
      const machine = ((await answer.json()) as { access_token: string }).access_token;
      const [header, payload, signature] = access_token.split('.');
      const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
      const altered = `${header}.${payload}.${signature?.slice(0, -6)}AAAAAA`;
      const refused = [machine, id_token, altered, `${none}.${payload}.`, `${header}.${payload}`];
      // Non-canonical base64url forms of the same token, which the API rejects too.
      refused.push(`${access_token}=`, `${header}=.${payload}.${signature}`);
      for (const token of refused) expect(await statusFor(token)).toBe(401);
    });

    it('is rejected after its grant was revoked (RFC 7009 §2.1) or its account disabled', async () => {
      const revoked = await obtainTokens(journey, { scope: SCOPE });
      await oauth.tokenRevocation(journey.application, revoked.refresh_token ?? '');
      expect(await statusFor(revoked.access_token)).toBe(401);

      const other = await startJourney(server);
      const { access_token } = await obtainTokens(other, { scope: SCOPE });
      expect(await statusFor(access_token)).toBe(200);
      await server.accounts.disable(other.accountId, operator);
      expect(await statusFor(access_token)).toBe(401);
    });

    it('requires a proof of its key if it is bound to one (RFC 9449 §7.1)', async () => {
      const native = await startJourney(server, { type: 'native' });
      const newHandle = async () =>
        oauth.getDPoPHandle(native.application, await oauth.randomDPoPKeyPair('ES256'));
      const DPoP = await newHandle();
      const { access_token } = await obtainTokens(native, { scope: SCOPE }, { DPoP });
      expect((await getUserInfo(native, access_token, { DPoP })).sub).toBe(native.accountId);
      const another = getUserInfo(native, access_token, { DPoP: await newHandle() });
      await expect(another).rejects.toMatchObject({ status: 401 });
      expect(await statusFor(access_token)).toBe(401);
    });
  });
});
