import { createInterface } from 'node:readline/promises';
import * as oauth from 'oauth4webapi';

const { ISSUER = '', API = '', CLIENT_ID = '', CLIENT_SECRET = '', REDIRECT_URI = '' } = process.env;
const terminal = createInterface(process.stdin);

const issuer = new URL(ISSUER);
const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer));
const client = { client_id: CLIENT_ID };
const authentication = oauth.ClientSecretBasic(CLIENT_SECRET);

// Store both in the session of the user until the redirect arrives.
const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const url = new URL(server.authorization_endpoint ?? '');
url.search = new URLSearchParams({
  client_id: CLIENT_ID,
  redirect_uri: REDIRECT_URI,
  response_type: 'code',
  scope: 'openid profile email offline_access tickets:read tickets:write',
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  state,
}).toString();

console.log(url.href);
const { value: callback = '' } = await terminal[Symbol.asyncIterator]().next();

const parameters = oauth.validateAuthResponse(server, client, new URL(callback), state);
const response = await oauth.authorizationCodeGrantRequest(
  server,
  client,
  authentication,
  parameters,
  REDIRECT_URI,
  verifier,
);
const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
  requireIdToken: true,
});
await oauth.validateApplicationLevelSignature(server, response);
const claims = oauth.getValidatedIdTokenClaims(tokens);

const userinfo = await oauth.processUserInfoResponse(
  server,
  client,
  claims?.sub ?? '',
  await oauth.userInfoRequest(server, client, tokens.access_token),
);

const tickets = new URL('/tickets.json', API);
const created = await oauth.protectedResourceRequest(
  tokens.access_token,
  'POST',
  tickets,
  new Headers({ 'Content-Type': 'application/json' }),
  JSON.stringify({ subject: 'From oauth4webapi' }),
);

const listed = await oauth.protectedResourceRequest(tokens.access_token, 'GET', tickets);
const page = (await listed.json()) as { tickets: { subject: string }[] };

const refreshed = await oauth.processRefreshTokenResponse(
  server,
  client,
  await oauth.refreshTokenGrantRequest(server, client, authentication, tokens.refresh_token ?? ''),
);

const { status } = await oauth.protectedResourceRequest(refreshed.access_token, 'GET', tickets);
console.log(
  JSON.stringify({
    claims,
    userinfo,
    scope: tokens.scope,
    created: created.status,
    subjects: page.tickets.map(({ subject }) => subject),
    refreshed: { scope: refreshed.scope, status },
  }),
);
