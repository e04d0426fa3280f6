import * as oauth from './oauth4webapi.js';

// A single-page app: the authorization code grant with PKCE. Tokens exist only in the memory of the page. A reload
// signs in again, without a prompt while the session at the server lasts.
const { issuer, api, clientId } = await (await fetch('settings.json')).json();
const client = { client_id: clientId, token_endpoint_auth_method: 'none' };
// For local use only: in production the issuer uses https.
const insecure = { [oauth.allowInsecureRequests]: issuer.startsWith('http:') };
const redirectUri = new URL('/', location.href).href;
const server = await oauth.processDiscoveryResponse(
  new URL(issuer),
  await oauth.discoveryRequest(new URL(issuer), insecure),
);

const query = new URL(location.href).searchParams;
if (query.has('state')) await showTickets(await redeemCode(query));
else offerSignIn('You are not signed in.');

function offerSignIn(message) {
  document.querySelector('#status').textContent = message;
  const button = document.querySelector('#sign-in');
  button.hidden = false;
  button.addEventListener('click', signIn);
}

async function signIn() {
  const codeVerifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  sessionStorage.setItem('sign-in', JSON.stringify({ codeVerifier, state }));
  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'tickets:read tickets:write',
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    state,
  });
  location.assign(url);
}

/** Redeems the code in the URL for an access token; `undefined` when the user denied the request. */
async function redeemCode(parameters) {
  const { codeVerifier, state } = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}');
  sessionStorage.removeItem('sign-in');
  history.replaceState(null, '', redirectUri);
  try {
    // Checks state and issuer (RFC 9207).
    const answer = oauth.validateAuthResponse(server, client, parameters, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      answer,
      redirectUri,
      codeVerifier,
      insecure,
    );
    return (await oauth.processAuthorizationCodeResponse(server, client, response)).access_token;
  } catch (err) {
    offerSignIn(
      err.error === 'access_denied' ? 'You denied the request.' : `That did not work: ${err.message}`,
    );
    return undefined;
  }
}

async function showTickets(accessToken) {
  if (!accessToken) return;
  const url = new URL('/tickets.json?limit=10', api);
  const response = await oauth.protectedResourceRequest(
    accessToken,
    'GET',
    url,
    undefined,
    undefined,
    insecure,
  );
  const { tickets } = await response.json();
  document.querySelector('#status').textContent = `${tickets.length} tickets`;
  const items = tickets.map(({ subject }) => {
    const item = document.createElement('li');
    item.textContent = subject;
    return item;
  });
  document.querySelector('#tickets').replaceChildren(...items);
}
