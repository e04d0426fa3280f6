import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'openid-client';
import { findRegistration } from '../registration.ts';
import { openTokenFile } from './token-file.ts';

// A native app: the authorization code grant with PKCE in the browser, which redirects to a loopback address (RFC 8252
// §7.3). The app stays signed in with its refresh token, which is replaced on each use.
const { issuer, api, clientId } = findRegistration('native-app');
const { TOKEN_FILE = './data/native-app-token' } = process.env;
const saved = openTokenFile(TOKEN_FILE);

const config = await oauth.discovery(issuer, clientId, undefined, oauth.None(), {
  // For local use only: in production the issuer uses https.
  execute: issuer.protocol === 'http:' ? [oauth.allowInsecureRequests] : [],
});
const tokens = (await refreshTokens()) ?? (await signIn());
if (tokens.refresh_token) saved.write(tokens.refresh_token);

const response = await oauth.fetchProtectedResource(
  config,
  tokens.access_token,
  new URL('/tickets.json?limit=5', api),
  'GET',
);
const { tickets } = (await response.json()) as { tickets: { subject: string; status: string }[] };
console.log(`${tickets.length} tickets`);
for (const { status, subject } of tickets) console.log(`${status.padEnd(8)} ${subject}`);

/** Returns new tokens for the saved refresh token; `undefined` without one, or when it is no longer valid. */
async function refreshTokens() {
  const refreshToken = saved.read();
  if (!refreshToken) return undefined;
  try {
    const refreshed = await oauth.refreshTokenGrant(config, refreshToken);
    console.log('Still signed in.');
    return refreshed;
  } catch (err) {
    // RFC 6749 §5.2: the token was revoked or has expired. Other errors do not concern the token, which stays saved.
    if (!(err instanceof oauth.ResponseBodyError) || err.error !== 'invalid_grant') throw err;
    saved.delete();
    return undefined;
  }
}

async function signIn() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const codeVerifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid offline_access tickets:read',
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    state,
  });
  console.log(`Open this page to sign in:\n${url}`);
  const [request, answer] = await once(server, 'request');
  answer.setHeader('Connection', 'close').end('Done. You may close this page.\n');
  server.close();
  return oauth.authorizationCodeGrant(config, new URL(request.url, redirectUri), {
    pkceCodeVerifier: codeVerifier,
    expectedState: state,
  });
}
