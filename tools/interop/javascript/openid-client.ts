import { createInterface } from 'node:readline/promises';
import * as oidc from 'openid-client';

const { ISSUER = '', API = '', CLIENT_ID = '', CLIENT_SECRET = '', REDIRECT_URI = '' } = process.env;
const terminal = createInterface(process.stdin);

const config = await oidc.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET);

// Store both in the session of the user until the redirect arrives.
const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
const expectedState = oidc.randomState();
const url = oidc.buildAuthorizationUrl(config, {
  redirect_uri: REDIRECT_URI,
  scope: 'openid profile email offline_access tickets:read tickets:write',
  code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
  code_challenge_method: 'S256',
  state: expectedState,
});
console.log(url.href);
const { value: answer = '' } = await terminal[Symbol.asyncIterator]().next();
const callback = new URL(answer);
const tokens = await oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState });
const claims = tokens.claims();
const userinfo = await oidc.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '');
const created = await oidc.fetchProtectedResource(
  config,
  tokens.access_token,
  new URL('/tickets.json', API),
  'POST',
  JSON.stringify({ subject: 'From openid-client' }),
  new Headers({ 'Content-Type': 'application/json' }),
);
const listed = await oidc.fetchProtectedResource(
  config,
  tokens.access_token,
  new URL('/tickets.json', API),
  'GET',
);
const { tickets } = (await listed.json()) as { tickets: { subject: string }[] };
const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '');
const { status } = await oidc.fetchProtectedResource(
  config,
  refreshed.access_token,
  new URL('/tickets.json', API),
  'GET',
);
console.log(
  JSON.stringify({
    claims,
    userinfo,
    scope: tokens.scope,
    created: created.status,
    subjects: tickets.map(({ subject }) => subject),
    refreshed: { scope: refreshed.scope, status },
  }),
);
