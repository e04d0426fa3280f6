// Program of k6: the requests of people, agents, applications and machines, at a rate that the variable RATE
// multiplies. WORLD is the JSON of tools/load/world.ts. Run by tools/load.ts.
import { check, sleep } from 'k6';
import { sha256 } from 'k6/crypto';
import encoding from 'k6/encoding';
import http from 'k6/http';

const world = JSON.parse(__ENV.WORLD);
const rate = Number(__ENV.RATE);
const seconds = Number(__ENV.SECONDS);
const REDIRECT_URI = 'http://127.0.0.1/callback';
const SCOPE = 'openid offline_access tickets:read';

/** Requests per second of each kind at RATE 1. */
const perSecond = { signIn: 0.25, refresh: 2, machineToken: 2, inbox: 8, create: 2 };

export const kinds = [...Object.keys(perSecond), 'stream'];

export const options = {
  scenarios: {
    ...Object.fromEntries(
      Object.entries(perSecond).map(([exec, each]) => [
        exec,
        {
          exec,
          executor: 'constant-arrival-rate',
          rate: Math.max(1, Math.round(60 * each * rate)),
          timeUnit: '1m',
          duration: `${seconds}s`,
          ...usersOf(exec, each),
          gracefulStop: '10s',
        },
      ]),
    ),
    stream: {
      exec: 'stream',
      executor: 'constant-vus',
      vus: world.streams,
      duration: `${seconds}s`,
      gracefulStop: '0s',
    },
  },
  // k6 reports figures by tag only where a threshold names the tag.
  thresholds: Object.fromEntries(
    kinds.flatMap((kind) => [
      [`http_req_duration{kind:${kind}}`, ['max>=0']],
      [`checks{kind:${kind}}`, ['rate>=0']],
    ]),
  ),
  summaryTrendStats: ['med', 'p(99)'],
  setupTimeout: '5m',
};

/** A token of a person is refreshed by one virtual user alone. */
function usersOf(exec, each) {
  const { length } = world.people;
  if (exec === 'refresh') return { preAllocatedVUs: length, maxVUs: length };
  return { preAllocatedVUs: Math.ceil(4 * each * rate) + 2, maxVUs: Math.ceil(20 * each * rate) + 10 };
}

/** Signs every person in once. */
export function setup() {
  return world.people.map((person) => {
    const tokens = signPersonIn(person, 'setup');
    if (!tokens) throw new Error(`${person.email} cannot sign in.`);
    return tokens;
  });
}

export function signIn() {
  const person = world.people[Math.floor(Math.random() * world.people.length)];
  check(signPersonIn(person, 'signIn'), { 'is signed in': Boolean }, { kind: 'signIn' });
}

/** The refresh token of this virtual user, which each refresh replaces. */
let refreshToken;

export function refresh(people) {
  refreshToken ??= people[(__VU - 1) % people.length].refresh_token;
  const response = requestToken({ grant_type: 'refresh_token', refresh_token: refreshToken }, 'refresh');
  if (check(response, { 'is 200': ({ status }) => status === 200 }, { kind: 'refresh' }))
    refreshToken = response.json('refresh_token');
}

export function machineToken() {
  const { client_id, client_secret } = world.machine;
  const Authorization = `Basic ${encoding.b64encode(`${client_id}:${client_secret}`)}`;
  const form = { grant_type: 'client_credentials', scope: 'tickets:read' };
  const response = http.post(`${world.issuer}/token`, form, {
    headers: { Authorization },
    tags: { kind: 'machineToken' },
  });
  check(response, { 'is 200': ({ status }) => status === 200 }, { kind: 'machineToken' });
}

/** An agent's list of open tickets, the longest waiting first. */
export function inbox(people) {
  const query = 'status=open&sort=waiting_since&limit=50';
  const response = http.get(`${world.api}/tickets.json?${query}`, asPerson(people, 'inbox'));
  check(response, { 'is 200': ({ status }) => status === 200 }, { kind: 'inbox' });
}

export function create() {
  const body = JSON.stringify({ subject: 'Printer', description: 'It prints nothing since Monday.' });
  const response = http.post(`${world.api}/tickets.json`, body, {
    headers: { Authorization: `Bearer ${world.machineToken}`, 'Content-Type': 'application/json' },
    tags: { kind: 'create' },
  });
  check(response, { 'is 201': ({ status }) => status === 201 }, { kind: 'create' });
}

/** k6's code for a request that its time limit ended. */
const TIMED_OUT = 1050;

/** Holds a feed open for the rest of the run. */
export function stream(people) {
  const params = asPerson(people, 'stream');
  params.headers.Accept = 'text/event-stream';
  params.timeout = `${seconds}s`;
  const response = http.get(`${world.api}/changes?since=now`, params);
  const isOpen = ({ error_code }) => error_code === TIMED_OUT;
  if (!check(response, { 'is still open': isOpen }, { kind: 'stream' })) sleep(1);
}

function asPerson(people, kind) {
  const { access_token } = people[(__VU - 1) % people.length];
  return { headers: { Authorization: `Bearer ${access_token}` }, tags: { kind } };
}

/** Signs a person in at the pages and allows the access; returns the token response, or nothing after a failure. */
function signPersonIn({ email, password }, kind) {
  const params = { tags: { kind }, jar: new http.CookieJar() };
  const verifier = encoding.b64encode(
    `${__VU}.${Math.random()}.${Date.now()}.verifier-of-43-characters`,
    'rawurl',
  );
  const query = {
    client_id: world.clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: SCOPE,
    code_challenge: sha256(verifier, 'base64rawurl'),
    code_challenge_method: 'S256',
    prompt: 'consent',
  };
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const page = http.get(`${world.issuer}/auth?${search.join('&')}`, params);
  const consent = page.submitForm({ formSelector: '#sign-in', fields: { email, password }, params });
  const sent = { ...params, redirects: 0 };
  let response = consent.submitForm({
    formSelector: '#consent',
    fields: { decision: 'allow' },
    params: sent,
  });
  while (response.headers.Location?.startsWith(world.issuer))
    response = http.get(response.headers.Location, sent);
  const code = /[?&]code=([^&]+)/.exec(response.headers.Location ?? '')?.[1];
  if (!code) return undefined;
  const form = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
  };
  const tokens = requestToken(form, kind);
  return tokens.status === 200 ? tokens.json() : undefined;
}

function requestToken(form, kind) {
  return http.post(`${world.issuer}/token`, { client_id: world.clientId, ...form }, { tags: { kind } });
}
