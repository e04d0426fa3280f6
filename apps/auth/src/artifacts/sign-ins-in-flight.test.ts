import { useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { createBrowser, type Page } from '../tests/browser.fixture.ts';
import { createRequest, type Journey, obtainTokens, startJourney } from '../tests/people.fixture.ts';
import { password, startTestServer } from '../tests/test-server.fixture.ts';
import { createHeldStorage, type HeldStorage, type Write } from './held-storage.fixture.ts';

const operator = { address: 'cli', actor: 'operator' };
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const DEVICE_SCOPE = 'openid offline_access tickets:read';
const newPassword = 'seven quiet harbours';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  let hold: HeldStorage['hold'];
  const server = useStarted(() => {
    const held = createHeldStorage(storage.get());
    hold = held.hold;
    return startTestServer(held.storage);
  });

  const changes: [string, (journey: Journey) => Promise<string>][] = [
    [
      'was disabled and enabled',
      async ({ accountId }) => {
        await server.accounts.disable(accountId, operator);
        await server.accounts.enable(accountId, operator);
        return password;
      },
    ],
    [
      'was signed out everywhere',
      async ({ accountId }) => {
        await server.accounts.signOutEverywhere(accountId, operator);
        return password;
      },
    ],
    [
      'got another password',
      async ({ accountId }) => {
        await server.accounts.setPassword({ accountId, newPassword }, operator);
        return newPassword;
      },
    ],
  ];
  const writes: [string, Write][] = [
    ['sign-in', { model: 'Interaction', after: 1 }],
    ['session', { model: 'Session', after: 0 }],
    ['grant', { model: 'Grant', after: 0 }],
    ['code', { model: 'AuthorizationCode', after: 0 }],
    ['refresh token', { model: 'RefreshToken', after: 0 }],
    ['rotated refresh token', { model: 'RotatedRefreshToken', after: 0 }],
  ];

  /** Signs in, consents, requests tokens and refreshes them, as far as possible. */
  async function completeFlow(journey: Journey): Promise<string | undefined> {
    const tokens = await obtainTokens(journey);
    return (await oauth.refreshTokenGrant(journey.application, tokens.refresh_token ?? '')).refresh_token;
  }

  function startDevice(): Promise<Journey> {
    const client = {
      type: 'device',
      name: 'Ticket Board',
      redirectUris: [],
      postLogoutRedirectUris: [],
    } as const;
    return startJourney(server, { client });
  }

  async function allowDevice({ browser, email }: Journey, userCode: string): Promise<Page> {
    const form = await browser.submit(await browser.open('/device'), 'device-code', { user_code: userCode });
    const page = await browser.submit(form, 'device-confirm', { confirm: 'yes' });
    const consent = await browser.submit(page, 'sign-in', { email, password });
    return browser.submit(consent, 'consent', { decision: 'allow' });
  }

  async function expectSignedOut(journey: Journey, refreshToken: string | undefined): Promise<void> {
    const page = await journey.browser.open('/account');
    expect(page.url.pathname).toBe('/sign-in');
    const { url } = await journey.browser.open((await createRequest(journey, { prompt: 'none' })).url);
    expect(url.searchParams.get('error')).toBe('login_required');
    if (refreshToken === undefined) return;
    expect((await oauth.tokenIntrospection(journey.application, refreshToken)).active).toBe(false);
    const refresh = oauth.refreshTokenGrant(journey.application, refreshToken);
    await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
  }

  describe('a sign-in in flight (CWE-613, OWASP ASVS 5.0 §7.4.2)', () => {
    const cases = changes.flatMap(([what, change]) =>
      writes.map(([written, write]) => ({ written, what, write, change })),
    );

    it.each(cases)(
      'gives no access by a $written that is stored after the account $what',
      async ({ write, change }) => {
        const journey = await startJourney(server);
        const isHeld = hold(write);
        // The flow may fail at any step.
        const ended = completeFlow(journey).catch(() => undefined);
        const { release } = await isHeld;
        const validPassword = await change(journey);
        release();
        await expectSignedOut(journey, await ended);

        const again = createBrowser(server.url);
        const form = await again.open('/account');
        const page = await again.submit(form, 'sign-in', { email: journey.email, password: validPassword });
        expect(page.url.pathname).toBe('/account');
      },
    );

    it.each(changes)(
      'gives no access by a device code that is granted while the account %s',
      async (_, change) => {
        const journey = await startDevice();
        const asked = await oauth.initiateDeviceAuthorization(journey.application, { scope: DEVICE_SCOPE });
        const isHeld = hold({ model: 'DeviceCode', after: 1 });
        const ended = allowDevice(journey, asked.user_code);
        const { release } = await isHeld;
        await change(journey);
        release();
        expect((await ended).html).toContain('Ticket Board');
        const form = {
          grant_type: DEVICE_GRANT,
          device_code: asked.device_code,
          client_id: journey.clientId,
        };
        const response = await server.requestToken(form);
        expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
      },
    );
  });
});
