import assert from 'node:assert/strict';
import * as oidc from 'openid-client';
import type { Page } from 'playwright-core';
import { answerRedirects } from './application.ts';
import { clientSecret } from './realms.ts';
import type { Check } from './report.ts';
import type { World } from './world.ts';

/** Keydesk as an identity provider of Keycloak. */
export const brokerChecks: readonly Check[] = [
  ['Keycloak accepts the discovery document of Keydesk as it is', createBroker],
  ['a user of Keydesk signs in at Keycloak, and is known the next time', signsIn],
];

const REALM = 'partners';
const ALIAS = 'keydesk';

/** Application of the realm; it has no server, because the browser answers its redirect URI. */
const consumer = { id: 'consumer', redirectUri: 'https://consumer.example/callback' };

async function createBroker({ keycloak, keydesk }: World): Promise<void> {
  const { administer } = keycloak;
  const issuer = keycloak.issuerOf(REALM);
  const endpoint = `${issuer}/broker/${ALIAS}/endpoint`;
  const registered = await keydesk.addClient(
    ...['--name', 'Keycloak', '--type', 'web', '--redirect-uri', endpoint],
  );
  await administer('POST', '', {
    realm: REALM,
    enabled: true,
    clients: [{ clientId: consumer.id, secret: clientSecret, redirectUris: [consumer.redirectUri] }],
  });
  const discovered = await administer<object>('POST', `/${REALM}/identity-provider/import-config`, {
    providerId: 'oidc',
    fromUrl: `${keydesk.issuer}/.well-known/openid-configuration`,
  });
  await administer('POST', `/${REALM}/identity-provider/instances`, {
    alias: ALIAS,
    providerId: 'oidc',
    enabled: true,
    trustEmail: true,
    config: {
      ...discovered,
      clientId: registered.client_id,
      clientSecret: registered.client_secret,
      clientAuthMethod: 'client_secret_basic',
      defaultScope: 'openid profile email',
      pkceEnabled: 'true',
      pkceMethod: 'S256',
    },
  });
}

/** Signs the account of Keydesk in for the application of Keycloak. */
async function authorize({ keycloak, keydesk }: World, page: Page) {
  const issuer = new URL(keycloak.issuerOf(REALM));
  const configuration = await oidc.discovery(issuer, consumer.id, clientSecret);
  await answerRedirects(page.context(), consumer.redirectUri);
  const [state, verifier] = [oidc.randomState(), oidc.randomPKCECodeVerifier()];
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: consumer.redirectUri,
    scope: 'openid profile email',
    state,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    kc_idp_hint: ALIAS,
  });
  await page.goto(url.href);
  await page.fill('#email', keydesk.account.email);
  await page.fill('#password', keydesk.account.password);
  await page.click('#submit');
  await page.locator('#allow').or(page.getByText('Back at the application.')).waitFor();
  if (await page.locator('#allow').isVisible()) await page.click('#allow');
  await page.waitForURL((at) => at.href.startsWith(consumer.redirectUri));
  const checks = { expectedState: state, pkceCodeVerifier: verifier };
  return oidc.authorizationCodeGrant(configuration, new URL(page.url()), checks);
}

async function signsIn(world: World): Promise<void> {
  const first = (await authorize(world, await world.openPage())).claims();
  assert.equal(first?.email, world.keydesk.account.email);
  assert.equal(first?.name, 'Ada Lovelace');
  const second = (await authorize(world, await world.openPage())).claims();
  assert.equal(second?.sub, first?.sub);
}
