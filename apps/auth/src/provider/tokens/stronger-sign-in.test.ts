import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { acrValues } from '../../accounts/account/authentication.ts';
import type { Authenticator } from '../../accounts/passkeys/authenticator.fixture.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { setUpApp } from '../../tests/authenticator-app.fixture.ts';
import {
  createRequest,
  type Journey,
  obtainTokens,
  redeem,
  signIn,
  startJourney,
} from '../../tests/people.fixture.ts';
import { addPasskey, optionsIn, signInByPassword } from '../../web/account/passkeys/passkey-pages.fixture.ts';
import { useMailboxServer } from '../../web/account/use-mailbox-server.fixture.ts';

const [password, multiFactor, phishingResistant] = acrValues;
const methods = ['swk', 'user', 'mfa'];
const essential = (...values: string[]) => ({
  claims: JSON.stringify({ id_token: { acr: { essential: true, values } } }),
});

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const { server } = useMailboxServer(storage, { host: 'localhost' });
  let journey: Journey;
  let authenticator: Authenticator;
  beforeEach(async () => {
    journey = await startJourney(server);
    authenticator = await addPasskey(await signInByPassword(server, journey.email), server.url);
  });

  /** Signs in with the passkey where the request asks the user; returns the tokens. */
  async function obtainByPasskey(parameters: Record<string, string>) {
    const { browser } = journey;
    const request = await createRequest(journey, { prompt: '', ...parameters });
    let page = await browser.open(request.url);
    if (page.html.includes('id="sign-in"')) {
      const passkey = authenticator.get(optionsIn(page, 'request'));
      page = await browser.submit(page, 'sign-in-with-passkey', { passkey });
    }
    if (page.html.includes('id="consent"'))
      page = await browser.submit(page, 'consent', { decision: 'allow' });
    return redeem(journey, request, page.url);
  }

  describe('a sign-in with several factors (OpenID Connect Core §2, §5.5.1.1)', () => {
    it.each([
      ['no class', {}, phishingResistant],
      ['its class', { acr_values: phishingResistant }, phishingResistant],
      ['a weaker class', { acr_values: multiFactor }, multiFactor],
      ['an essential weaker class', essential(multiFactor), multiFactor],
      ['classes in an order of preference', { acr_values: `${phishingResistant} ${password}` }, 'phr'],
    ])('satisfies a request for %s, which is then the acr of every token', async (_, parameters, acr) => {
      const tokens = await obtainByPasskey(parameters);
      expect(tokens.claims()).toMatchObject({ acr, amr: methods });
      expect(decodeJwt(tokens.access_token)).toMatchObject({ acr, amr: methods });
      const introspected = await oauth.tokenIntrospection(journey.application, tokens.access_token);
      expect(introspected).toMatchObject({ acr, amr: methods });
      const next = await oauth.refreshTokenGrant(journey.application, tokens.refresh_token ?? '');
      expect(decodeJwt(next.access_token)).toMatchObject({ acr, amr: methods });
    });

    it('satisfies later requests of the session without a prompt, each with the class that it names', async () => {
      await obtainByPasskey({});
      for (const acr of acrValues) {
        const tokens = await obtainTokens(journey, { acr_values: acr, prompt: 'none' });
        expect(tokens.claims()).toMatchObject({ acr, amr: methods });
      }
      expect((await obtainTokens(journey, { prompt: 'none' })).claims()?.acr).toBe(phishingResistant);
    });

    it('lifts a session that was opened with a password (RFC 9470 §4)', async () => {
      const first = await obtainTokens(journey);
      expect(first.claims()).toMatchObject({ acr: password, amr: ['pwd'] });
      const lifted = await obtainByPasskey(essential(phishingResistant));
      expect(lifted.claims()).toMatchObject({ acr: phishingResistant, amr: methods });
      const next = await oauth.refreshTokenGrant(journey.application, first.refresh_token ?? '');
      expect(decodeJwt(next.access_token)).toMatchObject({ acr: password, amr: ['pwd'] });
    });
  });

  describe('a request for several factors by a user without a second factor (RFC 9470 §4)', () => {
    it.each([
      ['acr_values', { acr_values: `${multiFactor} ${phishingResistant}` }],
      ['an essential acr', essential(multiFactor)],
    ])('leads to its set-up after the password, then to tokens of the class: %s', async (_, parameters) => {
      const plain = await startJourney(server);
      expect((await obtainTokens(plain)).claims()?.acr).toBe(password);
      const request = await createRequest(plain, { prompt: '', ...parameters });
      const page = await signIn(plain, await plain.browser.open(request.url));
      const { shown } = await setUpApp(plain.browser, page, server);
      const done = await plain.browser.submit(shown, 'continue');
      const tokens = await redeem(plain, request, done.url);
      const claims = { acr: multiFactor, amr: ['pwd', 'otp', 'mfa'] };
      expect(tokens.claims()).toMatchObject(claims);
      expect(decodeJwt(tokens.access_token)).toMatchObject(claims);
      const again = await obtainTokens(plain, { prompt: 'none', ...parameters });
      expect(again.claims()).toMatchObject(claims);
    });

    it('fails where the account cannot reach the class, such as without a passkey (RFC 9470 §5)', async () => {
      const plain = await startJourney(server);
      const request = await createRequest(plain, { acr_values: phishingResistant });
      const { url } = await signIn(plain, await plain.browser.open(request.url));
      expect(url.searchParams.get('error')).toBe('unmet_authentication_requirements');
    });
  });
});
