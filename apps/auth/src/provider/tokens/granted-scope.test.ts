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
import { API, basic, startTestServer } from '../../tests/test-server.fixture.ts';

const ALL = 'openid profile email offline_access tickets:read';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  const refresh = (journey: Journey, token: string | undefined, scope?: string) =>
    oauth.refreshTokenGrant(journey.application, token ?? '', scope ? { scope } : {});
  const toWords = (scope: string | undefined) => scope?.split(' ').sort();

  describe('scope in the token response (RFC 6749 §5.1, §6)', () => {
    let journey: Journey;
    beforeAll(async () => {
      journey = await startJourney(server);
    });

    it.each([ALL, 'openid email', 'openid tickets:read', 'tickets:read', 'tickets:read offline_access'])(
      'contains everything that was granted: %s',
      async (scope) => {
        const request = await createRequest(journey, { scope });
        if (!scope.includes('openid')) request.url.searchParams.delete('nonce');
        const callback = await authorize(journey, request);
        const form = {
          grant_type: 'authorization_code',
          code: callback.searchParams.get('code') ?? '',
          redirect_uri: REDIRECT_URI,
          code_verifier: request.verifier,
        };
        const response = await server.requestToken(form, basic(journey.clientId, journey.clientSecret));
        const tokens = (await response.json()) as { scope: string };
        expect(toWords(tokens.scope)).toEqual(toWords(scope));
      },
    );

    it('is the same after a refresh and its replay', async () => {
      const { refresh_token } = await obtainTokens(journey);
      const [next, again] = [await refresh(journey, refresh_token), await refresh(journey, refresh_token)];
      expect([next.scope, again.scope]).toEqual([ALL, ALL]);
    });

    it.each(['tickets:read', 'openid tickets:read', 'openid email'])(
      'contains only what a refresh requested: %s',
      async (scope) => {
        const { refresh_token } = await obtainTokens(journey);
        expect((await refresh(journey, refresh_token, scope)).scope).toBe(scope);
      },
    );

    it('contains more than the token, which has only the scopes of the API (RFC 9068 §2.2.3)', async () => {
      const { access_token } = await obtainTokens(journey);
      const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString());
      expect(claims).toMatchObject({ aud: API, scope: 'tickets:read' });
    });
  });
});
