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

const actions = { showTickets, exportEvents };
/** Messages for errors in the authorization response (RFC 6749 §4.1.2.1, RFC 9470 §5). */
const refusals = {
  access_denied: 'You denied the request.',
  unmet_authentication_requirements: 'Your sign-in was not strong enough.',
};
document.querySelector('#sign-in').addEventListener('click', () => signIn('showTickets'));

const query = new URL(location.href).searchParams;
if (query.has('state')) await resume(query);
else offerSignIn('You are not signed in.');

function offerSignIn(message) {
  document.querySelector('#status').textContent = message;
  document.querySelector('#sign-in').hidden = false;
}

/** Redirects to the server. `requirements` are the `acr_values` and `max_age` of a step-up challenge (RFC 9470 §4). */
async function signIn(action, requirements) {
  const codeVerifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const isStepUp = requirements !== undefined;
  sessionStorage.setItem('sign-in', JSON.stringify({ codeVerifier, state, action, isStepUp }));
  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'tickets:read tickets:write',
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    state,
    ...requirements,
  });
  location.assign(url);
}

/** Redeems the code in the URL, then carries out the action that the user signed in for. */
async function resume(parameters) {
  const pending = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}');
  sessionStorage.removeItem('sign-in');
  history.replaceState(null, '', redirectUri);
  const accessToken = await redeemCode(parameters, pending);
  if (!accessToken) return;
  const button = document.querySelector('#export');
  button.hidden = false;
  button.addEventListener('click', () => run('exportEvents', accessToken));
  await run(pending.action, accessToken, pending.isStepUp);
}

/** Redeems the code for an access token; `undefined` when the server refused the request. */
async function redeemCode(parameters, { codeVerifier, state }) {
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
    offerSignIn(refusals[err.error] ?? `That did not work: ${err.message}`);
    return undefined;
  }
}

/**
 * Carries out an action. If the API requires a stronger or more recent authentication, the user signs in as the
 * challenge says, and the action is repeated with the new token: once, because the account may have no second factor.
 */
async function run(action, accessToken, isStepUp = false) {
  try {
    await actions[action](accessToken);
  } catch (err) {
    const requirements = findStepUp(err);
    if (requirements && !isStepUp) return signIn(action, requirements);
    offerSignIn(requirements ? 'Your sign-in was not strong enough.' : `That did not work: ${err.message}`);
  }
}

/** Returns the parameters to request after a step-up challenge (RFC 9470 §3). */
function findStepUp(err) {
  if (!(err instanceof oauth.WWWAuthenticateChallengeError)) return undefined;
  const { parameters } =
    err.cause.find((each) => each.parameters.error === 'insufficient_user_authentication') ?? {};
  if (!parameters) return undefined;
  const { acr_values, max_age } = parameters;
  return { ...(acr_values && { acr_values }), ...(max_age && { max_age }) };
}

async function get(path, accessToken) {
  const url = new URL(path, api);
  return (
    await oauth.protectedResourceRequest(accessToken, 'GET', url, undefined, undefined, insecure)
  ).json();
}

async function showTickets(accessToken) {
  const { tickets } = await get('/tickets.json?limit=10', accessToken);
  show(
    `${tickets.length} tickets`,
    tickets.map(({ subject }) => subject),
  );
}

/** Shows the audit history, whose export is a sensitive operation. */
async function exportEvents(accessToken) {
  const { events } = await get('/events.json?limit=10', accessToken);
  show(
    `${events.length} events`,
    events.map(({ type, created_at }) => `${created_at} ${type}`),
  );
}

function show(status, texts) {
  document.querySelector('#status').textContent = status;
  const items = texts.map((text) => {
    const item = document.createElement('li');
    item.textContent = text;
    return item;
  });
  document.querySelector('#items').replaceChildren(...items);
}
