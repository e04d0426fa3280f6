import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { createReplayGuard } from '@keydesk/rate-limit';
import { errorResponses, listen } from '@keydesk/server';
import { createSigningKey, startTestIssuer, type TestIssuer } from '@keydesk/testing';
import Koa from 'koa';
import { createProofVerifier, type ProofVerifier, type ProofVerifierOptions } from './dpop/proof-verifier.ts';
import { authenticate } from './http/authenticate.ts';
import {
  protectedResourceMetadata,
  protectedResourceMetadataUrl,
} from './http/protected-resource-metadata.ts';
import { requireAuthentication } from './http/require-authentication.ts';
import { requireScope } from './http/require-scope.ts';
import { createJwks, type JwksOptions } from './keys/jwks.ts';
import {
  createTokenVerifier,
  type TokenVerifier,
  type TokenVerifierOptions,
} from './tokens/token-verifier.ts';

/** Settings of the test server; with `proofs` it accepts bound tokens, and its audience is its public URL. */
type Settings = Partial<JwksOptions & TokenVerifierOptions> & { proofs?: Partial<ProofVerifierOptions> };

/** A request to send. */
export interface Sent {
  /** Default: `GET`. */
  method?: string;
  /** The request-target. Default: `/`. */
  path?: string;
  /** A list is sent as repeated headers. */
  headers?: Record<string, string | string[]>;
}

/** The parts of a response that tests check. */
export interface Answer {
  status: number;
  challenge: string | undefined;
  retryAfter: string | undefined;
  body: Record<string, unknown>;
}

/**
 * Starts a resource server on a free port that trusts the issuer. `GET /` returns the caller, `GET /write` requires
 * the scope `tickets:write`, and `GET /forgotten` requires a scope without authentication. `GET /strong` requires an
 * authentication of the user of the class `gold` or `platinum`, `GET /recent` one of the last 300 seconds, and
 * `GET /guarded` both.
 */
export async function startResourceServer(
  issuer: Pick<TestIssuer, 'issuer' | 'jwksUrl' | 'audience'>,
  settings: Settings = {},
) {
  const { issuer: url, jwksUrl, audience } = issuer;
  let fetchCount = 0;
  let pending: Promise<unknown>[] = [];
  let arrivals = 0;
  const countingFetch: typeof fetch = (...parameters) => {
    const answer = fetch(...parameters);
    fetchCount += 1;
    const read = answer.then((response) => response.clone().arrayBuffer());
    pending.push(read.catch(() => undefined));
    return answer;
  };
  const jwks = createJwks({ url: jwksUrl, fetch: countingFetch, ...settings });
  const verifier = createTokenVerifier({ issuer: url, audience, jwks, ...settings });
  const { now = () => new Date() } = settings;
  const replayGuard = createReplayGuard({ keyPrefix: 'test', now });
  const proofs =
    settings.proofs && createProofVerifier({ baseUrl: audience, replayGuard, now, ...settings.proofs });
  const app = createApp({ resource: audience, issuer: url, verifier, proofs, now });
  const handle = app.callback();
  const counted: typeof handle = (request, response) => {
    arrivals += 1;
    return handle(request, response);
  };
  const server = await listen(counted, { host: '127.0.0.1', port: 0 });

  const get = (headers: Record<string, string | string[]> = {}, path = '/') =>
    send(server.url, { headers, path });

  return {
    url: server.url,
    send: (sent: Sent) => send(server.url, sent),
    get,
    /** Sends `GET` with an access token. */
    present: (token: string, path = '/') => get({ Authorization: `Bearer ${token}` }, path),
    /** Number of attempts to fetch the key set, failed ones included. */
    fetchCount: () => fetchCount,
    /** Number of received requests, answered or not. */
    arrivals: () => arrivals,
    /** Resolves when all fetches of keys have ended and their results are applied. */
    async settled() {
      if (pending.length === 0) return;
      await Promise.all(pending);
      pending = [];
      await setTimeout(20);
    },
    stop: server.close,
  };
}

interface AppParts {
  resource: string;
  issuer: string;
  verifier: TokenVerifier;
  proofs: ProofVerifier | undefined;
  now: () => Date;
}

function createApp({ resource, issuer, verifier, proofs, now }: AppParts): Koa {
  const app = new Koa();
  app.use(errorResponses());
  app.use(
    protectedResourceMetadata({
      resource,
      authorizationServers: [issuer],
      scopes: ['tickets:read', 'tickets:write'],
      proofAlgorithms: proofs?.algorithms,
    }),
  );
  app.use((ctx, next) => {
    ctx.path = ctx.path.replace(/\.json$/, ''); // as servers do that select a format by suffix
    return next();
  });
  app.use((ctx, next) => (ctx.path === '/forgotten' ? requireScope('tickets:read')(ctx, next) : next()));
  app.use(
    authenticate({
      verifier,
      proofs,
      resourceMetadataUrl: protectedResourceMetadataUrl(resource),
      scopeOf: ({ path }) => (path === '/write' ? 'tickets:write' : undefined),
    }),
  );
  app.use((ctx, next) => (ctx.path === '/write' ? requireScope('tickets:write')(ctx, next) : next()));
  for (const [path, check] of createAuthenticationChecks(now))
    app.use((ctx, next) => (ctx.path === path ? check(ctx, next) : next()));
  app.use((ctx) => {
    const { caller, clientId, subject } = ctx.state;
    ctx.body = { ...caller, scopes: [...caller.scopes], logged: { clientId, subject } };
  });
  return app;
}

function createAuthenticationChecks(now: () => Date) {
  const acrValues = ['gold', 'platinum'];
  return new Map([
    ['/strong', requireAuthentication({ acrValues, now })],
    ['/recent', requireAuthentication({ acrValues: [], maxAgeSeconds: 300, now })],
    ['/guarded', requireAuthentication({ acrValues, maxAgeSeconds: 300, now })],
  ]);
}

/** Starts an issuer and a resource server with a shared manual clock. */
export async function startWorld(settings: Settings = {}) {
  const { now, advanceSeconds } = createManualClock();
  const issuer = await startTestIssuer({ now });
  const uptimeMs = () => now().getTime();
  const server = await startResourceServer(issuer, { now, uptimeMs, ...settings });
  return {
    issuer,
    server,
    advanceSeconds,
    /** Returns the status of a request with a new token. */
    presentNew: async () => (await server.present(issuer.token())).status,
    /** Sends tokens of `count` unknown keys concurrently and returns the distinct statuses. */
    async flood(count = 30): Promise<number[]> {
      const key = createSigningKey();
      const tokens = Array.from({ length: count }, (_, i) =>
        issuer.token({}, { key, header: { kid: `${i}` } }),
      );
      const answers = await Promise.all(tokens.map((token) => server.present(token)));
      return [...new Set(answers.map(({ status }) => status))];
    },
    async stop() {
      await server.stop();
      await issuer.stop();
    },
  };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/** Sends a request as given; `fetch` would merge repeated headers and repair paths. */
function send(url: string, { method = 'GET', path = '/', headers = {} }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, path, headers, agent: false }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({
        status: response.statusCode ?? 0,
        challenge: response.headers['www-authenticate'],
        retryAfter: response.headers['retry-after'],
        body: text.startsWith('{') ? JSON.parse(text) : {},
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}

/** Creates a clock that only `advanceSeconds` moves. */
export function createManualClock() {
  let time = Date.UTC(2030, 0, 1);
  return {
    now: () => new Date(time),
    advanceSeconds(seconds: number) {
      time += seconds * 1000;
    },
  };
}
