import { hashPassword } from '../../apps/auth/src/accounts/passwords/password-hash.ts';
import {
  defaultConcurrency,
  defaultParameters,
} from '../../apps/auth/src/accounts/passwords/password-hasher.ts';
import type { Browser } from '../../apps/auth/src/tests/browser.fixture.ts';
import { type Result, type Rounds, toFigures } from './comparison.ts';
import { presentGrants } from './grant-load.ts';
import { type Measured, measure } from './load.ts';
import { type Client, tokenRequest } from './machine-tokens.ts';
import { type Application, fetchCode, type Person, signIn } from './people.ts';
import type { ServerProcess } from './processes.ts';

/** An authorization server with users, an application and a machine client. */
export interface PersonTarget {
  application: Application;
  people: readonly Person[];
  machine: Client;
}

const CODES = 600;
const WORKERS = 16;
const FLOOD = 100;
/** Warm-up time, because each round starts a new baseline process. */
const WARM_UP_SECONDS = 2;

const noBaseline = { ratio: null, to_reach: null, baseline_per_second: null };

/** Measures durable code redemptions per second. */
export async function measureCodeExchange({ application, people }: PersonTarget): Promise<Result> {
  const browsers = await Promise.all(people.slice(0, WORKERS).map((person) => signIn(application, person)));
  const grants: Record<string, string>[] = [];
  async function collect(browser: Browser): Promise<void> {
    while (grants.length < CODES) grants.push(await fetchCode(application, browser));
  }
  await Promise.all(browsers.map(collect));
  const url = `${application.issuer}/token`;
  const measured = await presentGrants({ url, grants, workers: WORKERS, seconds: 60 });
  return { case: 'code exchange (durable)', ...noBaseline, ...toOwnFigures(measured) };
}

/** Plain oidc-provider with its refresh tokens. */
export interface BareServer extends ServerProcess {
  refreshTokens: readonly string[];
}

/**
 * Compares chains of refresh requests with plain oidc-provider in memory. Each round starts a new baseline, because its
 * adapter stores only the latest thousand tokens.
 */
export async function measureRefresh(
  { application, people }: PersonTarget,
  startBare: (families: number) => Promise<BareServer>,
  { rounds, seconds }: Rounds,
): Promise<Result> {
  const ours: Measured[] = [];
  const theirs: Measured[] = [];
  const load = { workers: WORKERS, warmUpSeconds: WARM_UP_SECONDS, seconds };
  for (let round = 0; round < rounds; round++) {
    const families = await Promise.all(
      people.slice(0, WORKERS).map((person) => startFamily(application, person)),
    );
    const own = families.map((refresh_token) => toRefresh(application.clientId, refresh_token));
    ours.push(await presentGrants({ ...load, url: `${application.issuer}/token`, grants: own }));
    const bare = await startBare(WORKERS);
    const grants = bare.refreshTokens.map((refresh_token) => toRefresh('native', refresh_token));
    theirs.push(await presentGrants({ ...load, url: `${bare.url}/token`, grants }));
    await bare.stop();
  }
  return { case: 'refresh (durable)', to_reach: 0.6, ...toFigures(ours, theirs) };
}

/** Compares complete sign-ins with password hashes at the same concurrency. */
export async function measureSignIns(
  { application, people }: PersonTarget,
  { seconds }: Rounds,
): Promise<Result> {
  const bound = await countPerSecond(defaultConcurrency(4), seconds, () =>
    hashPassword('correct horse battery staple', defaultParameters),
  );
  const signIns = await countPerSecond(WORKERS, seconds, (n) => signIn(application, pick(people, n)));
  return {
    case: 'sign-ins, against bare argon2id',
    ratio: signIns / bound,
    to_reach: null,
    keydesk_per_second: signIns,
    baseline_per_second: bound,
    keydesk_p99_ms: null,
  };
}

/** Measures the token latency of a machine client during 100 concurrent sign-ins. */
export async function measureLoginFlood(world: PersonTarget, { seconds }: Rounds): Promise<Result> {
  const { application, people, machine } = world;
  let isOver = false;
  async function flood(n: number): Promise<void> {
    // Sign-ins rejected by the full queue are part of the load.
    while (!isOver) await signIn(application, pick(people, n)).catch(() => undefined);
  }
  const flooding = Promise.all(Array.from({ length: FLOOD }, (_, n) => flood(n)));
  const request = { method: 'POST', path: '/token', ...tokenRequest(machine, 'tickets:read') };
  const measured = await measure(
    { url: application.issuer, requests: [request], connections: 2 },
    seconds * 2,
  );
  isOver = true;
  await flooding;
  return { case: `token during ${FLOOD} sign-ins at once`, ...noBaseline, ...toOwnFigures(measured) };
}

async function startFamily(application: Application, person: Person): Promise<string> {
  const grant = await fetchCode(application, await signIn(application, person));
  const response = await fetch(`${application.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams(grant),
  });
  const { refresh_token } = (await response.json()) as { refresh_token: string };
  return refresh_token;
}

function toRefresh(client_id: string, refresh_token: string) {
  return { grant_type: 'refresh_token', client_id, refresh_token };
}

function toOwnFigures({ requestsPerSecond, p99Milliseconds }: Measured) {
  return { keydesk_per_second: requestsPerSecond, keydesk_p99_ms: p99Milliseconds };
}

/** Counts completed calls per second of several workers; `work` receives the number of its call. */
async function countPerSecond(
  workers: number,
  seconds: number,
  work: (n: number) => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let started = 0;
  let done = 0;
  async function repeat(): Promise<void> {
    while (performance.now() < endsAt) {
      await work(started++);
      done += 1;
    }
  }
  await Promise.all(Array.from({ length: workers }, repeat));
  return done / ((performance.now() - startedAt) / 1000);
}

function pick(people: readonly Person[], n: number): Person {
  const person = people[n % people.length];
  if (!person) throw new Error('No users were added.');
  return person;
}
