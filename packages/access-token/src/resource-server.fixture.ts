import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { errorResponses, listen } from '@keydesk/http';
import { createSigningKey, startTestIssuer, type TestIssuer } from '@keydesk/testing';
import Koa from 'koa';
import { authenticate } from './authenticate.ts';
import { createJwks, type JwksOptions } from './jwks.ts';
import { protectedResourceMetadata, protectedResourceMetadataUrl } from './protected-resource-metadata.ts';
import { requireScope } from './require-scope.ts';
import { createTokenVerifier, type TokenVerifierOptions } from './token-verifier.ts';

type Settings = Partial<JwksOptions & TokenVerifierOptions>;

/** What a client sees of an answer. */
export interface Answer {
  status: number;
  challenge: string | undefined;
  retryAfter: string | undefined;
  body: Record<string, unknown>;
}

/**
 * A real resource server on a free port that trusts the issuer: `GET /` tells who calls, `GET /write` needs the
 * scope `tickets:write`, and `GET /forgotten` needs a scope with no authentication before it.
 */
export async function startResourceServer(issuer: TestIssuer, settings: Settings = {}) {
  const { issuer: url, jwksUrl, audience } = issuer;
  let fetchCount = 0;
  let pending: Promise<unknown>[] = [];
  const countingFetch: typeof fetch = (...parameters) => {
    const answer = fetch(...parameters);
    fetchCount += 1;
    pending.push(answer);
    return answer;
  };
  const jwks = createJwks({ url: jwksUrl, fetch: countingFetch, ...settings });
  const verifier = createTokenVerifier({ issuer: url, audience, jwks, ...settings });
  const server = await listen(createApp(audience, url, verifier).callback(), { host: '127.0.0.1', port: 0 });

  function get(headers: Record<string, string | string[]> = {}, path = '/'): Promise<Answer> {
    return send(`${server.url}${path}`, headers);
  }

  return {
    url: server.url,
    get,
    /** `GET` with an access token. */
    present: (token: string, path = '/') => get({ Authorization: `Bearer ${token}` }, path),
    /** Attempts to fetch the key set, whether or not anything answered. */
    fetchCount: () => fetchCount,
    /** Ends when every fetch of keys has ended and what follows from it has happened. */
    async settled() {
      if (pending.length === 0) return;
      await Promise.allSettled(pending);
      pending = [];
      await setTimeout(20);
    },
    stop: server.close,
  };
}

function createApp(audience: string, issuer: string, verifier: ReturnType<typeof createTokenVerifier>): Koa {
  const app = new Koa();
  app.use(errorResponses());
  app.use(
    protectedResourceMetadata({
      resource: audience,
      authorizationServers: [issuer],
      scopes: ['tickets:read', 'tickets:write'],
    }),
  );
  app.use((ctx, next) => (ctx.path === '/forgotten' ? requireScope('tickets:read')(ctx, next) : next()));
  app.use(authenticate({ verifier, resourceMetadataUrl: protectedResourceMetadataUrl(audience) }));
  app.use((ctx, next) => (ctx.path === '/write' ? requireScope('tickets:write')(ctx, next) : next()));
  app.use((ctx) => {
    const { caller, clientId, subject } = ctx.state;
    ctx.body = { ...caller, scopes: [...caller.scopes], logged: { clientId, subject } };
  });
  return app;
}

/** An issuer and a resource server that share a clock which only the test moves. */
export async function startWorld(settings: Settings = {}) {
  const { clock, advanceSeconds } = createManualClock();
  const issuer = await startTestIssuer({ clock });
  const server = await startResourceServer(issuer, { clock, ...settings });
  return {
    issuer,
    server,
    advanceSeconds,
    /** The status that a new token gets. */
    presentNew: async () => (await server.present(issuer.token())).status,
    /** The statuses that tokens of so many unknown keys get at once. */
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

/** `fetch` would fold a header that is sent twice into one, so it is not used here. */
function send(url: string, headers: Record<string, string | string[]>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, async (response) => {
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

/** A clock that only the test moves. */
function createManualClock() {
  let now = Date.UTC(2030, 0, 1);
  return {
    clock: () => now,
    advanceSeconds(seconds: number) {
      now += seconds * 1000;
    },
  };
}
