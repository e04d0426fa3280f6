import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, createBrowser, type Page } from '../../../apps/auth/src/tests/browser.fixture.ts';
import {
  type Answer,
  type Application,
  redeem,
  refresh,
  send,
  toAuthorization,
  Unanswered,
} from './application.ts';
import type { Ledger, Registration, Visit } from './ledger.ts';

export interface WriterDeps {
  application: Application;
  /** Initial access token for client registration (RFC 7591 §3). */
  initialAccessToken: string;
  ledger: Ledger;
}

const PASSWORD = 'kindly yellow umbrella';
const REFRESHES = 6;
const SIGN_UP_LIMIT_MS = 60_000;

/** A response that no writer should get. */
class Unexpected extends Error {}

/** Writes on one connection until the server is killed or `isOver` returns true. */
export async function write(deps: WriterDeps, isOver: () => boolean): Promise<void> {
  try {
    while (!isOver()) {
      await visit(deps, isOver);
      await registerClients(deps);
    }
  } catch (err) {
    // Other errors are connections broken by the kill.
    if (err instanceof Unexpected || !isOver()) throw err;
  }
}

/** Registers two clients and removes one. */
async function registerClients({ application, initialAccessToken, ledger }: WriterDeps): Promise<void> {
  const [kept, removed] = [open(), open()];
  ledger.registrations.push(kept, removed);
  for (const registration of [kept, removed]) {
    const { status, body } = await inFlight(registration, () =>
      send(`${application.issuer}/reg`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${initialAccessToken}` },
        body: JSON.stringify({ client_name: registration.name, redirect_uris: ['https://app.example/'] }),
      }),
    );
    require(status === 201, `registration: ${status}`);
    registration.clientId = body.client_id ?? '';
    registration.uri = body.registration_client_uri ?? '';
    registration.token = body.registration_access_token ?? '';
    registration.secret = body.client_secret ?? '';
    count(ledger, 'registered clients');
  }
  const headers = { Authorization: `Bearer ${removed.token}` };
  const { status } = await inFlight(removed, () => send(removed.uri, { method: 'DELETE', headers }));
  require(status === 204, `removal of a client: ${status}`);
  removed.isRemoved = true;
  count(ledger, 'removed clients');
}

function open(): Registration {
  return { name: randomUUID(), uri: '', token: '', secret: '', isRemoved: false, isInFlight: false };
}

/** Signs a user up, authorizes the application, and refreshes its tokens. */
async function visit(deps: WriterDeps, isOver: () => boolean): Promise<void> {
  const { application, ledger } = deps;
  const email = `${randomUUID()}@example.org`;
  const entry: Visit = { email, hasAccount: false, refreshTokens: [], isUsedUp: false, isInFlight: false };
  ledger.visits.push(entry);
  await inFlight(entry, () => allow(deps, entry));
  const { code } = entry;
  require(code !== undefined, 'no code');
  keep(entry, await inFlight(entry, () => redeem(application, code)));
  count(ledger, 'codes');
  for (let i = 0; i < REFRESHES && !isOver(); i++) {
    keep(entry, await inFlight(entry, () => refresh(application, entry.refreshTokens.at(-1) ?? '')));
    count(ledger, 'refreshes');
  }
}

async function allow({ application, ledger }: WriterDeps, entry: Visit): Promise<void> {
  const browser = createBrowser(application.issuer);
  const form = { name: 'Ada', email: entry.email, password: PASSWORD };
  requireAnswer(await browser.submit(requireAnswer(await browser.open('/sign-up')), 'sign-up', form));
  const { url, verifier } = toAuthorization(application);
  const consent = await signIn(browser, url, entry.email);
  entry.hasAccount = true;
  count(ledger, 'accounts');
  const requestedAt = performance.now();
  const callback = requireAnswer(await browser.submit(consent, 'consent', { decision: 'allow' }));
  const value = callback.url.searchParams.get('code');
  require(value !== null, `consent: ${callback.status} ${findErrorId(callback)} ${callback.url}`);
  entry.code = { value, verifier, requestedAt };
}

/** Returns the error that a page names, such as `error-interaction-expired`, or an empty string. */
function findErrorId({ html }: Page): string {
  return /id="(error-[\w-]+)"/.exec(html)?.[1] ?? '';
}

/**
 * Signs in with retries: the account is created after the sign-up response, which must not reveal existing ones.
 */
async function signIn(browser: Browser, url: URL, email: string): Promise<Page> {
  const giveUpAt = performance.now() + SIGN_UP_LIMIT_MS;
  let page = requireAnswer(await browser.open(url));
  while (page.html.includes('id="sign-in"')) {
    // A failure after the response to the sign-up; the user repeats it.
    if (performance.now() > giveUpAt) throw new Unanswered('The account was not created.');
    page = requireAnswer(await browser.submit(page, 'sign-in', { email, password: PASSWORD }));
    if (page.html.includes('id="sign-in"')) await sleep(10);
  }
  return page;
}

/** @throws {Unanswered} for the error page of a server that fails */
function requireAnswer(page: Page): Page {
  if (page.status >= 500) throw new Unanswered(`${page.status} ${page.url.pathname}`);
  return page;
}

function keep({ refreshTokens }: Visit, { status, body }: Answer): void {
  require(status === 200 && body.refresh_token !== undefined, `token: ${status} ${body.error}`);
  refreshTokens.push(body.refresh_token);
}

async function inFlight<T>(entry: { isInFlight: boolean }, request: () => Promise<T>): Promise<T> {
  entry.isInFlight = true;
  const answer = await request();
  entry.isInFlight = false;
  return answer;
}

function count({ acknowledged }: Ledger, what: string): void {
  acknowledged[what] = (acknowledged[what] ?? 0) + 1;
}

function require(isAsExpected: boolean, what: string): asserts isAsExpected {
  if (!isAsExpected) throw new Unexpected(what);
}
