import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context, Next } from 'koa';
import { type ClientMetadata, Provider } from 'oidc-provider';
import { assertionAlgorithms } from '../../clients/client-keys.ts';
import type { SnippetServer } from '../views/applications.ts';

/** Authorization server without sign-in, with an API that returns the client of a token. */
export interface TestServer extends SnippetServer {
  /** Follows an authorization request like a browser, up to the redirect URI with the code. */
  authorize(url: string): Promise<URL>;
  stop(): Promise<void>;
}

/** Starts oidc-provider with its defaults on a free port of 127.0.0.1. The caller must stop it. */
export async function startTestServer(clients: readonly ClientMetadata[]): Promise<TestServer> {
  // The issuer contains the port, which is assigned when the server listens.
  let handle: ReturnType<Provider['callback']> | undefined;
  const server = createServer((request, response) => handle?.(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = createProvider(issuer, clients);
  handle = provider.callback();

  return {
    issuer,
    authorizationEndpoint: `${issuer}/auth`,
    tokenEndpoint: `${issuer}/token`,
    userinfoEndpoint: `${issuer}/me`,
    exampleUrl: `${issuer}/tickets.json`,
    authorize: (url) => follow(new URL(url), issuer),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function createProvider(issuer: string, clients: readonly ClientMetadata[]): Provider {
  const provider = new Provider(issuer, {
    clients: [...clients],
    enabledJWA: { clientAuthSigningAlgValues: [...assertionAlgorithms] },
    scopes: ['openid', 'offline_access', 'tickets:read', 'tickets:write'],
    features: { devInteractions: { enabled: false }, clientCredentials: { enabled: true } },
    // Issues refresh tokens without `prompt=consent`, as `provider/offline-access.ts` does.
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    findAccount: async (_ctx, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
  });
  provider.use((ctx, next) => signInAutomatically(provider, ctx, next));
  provider.use((ctx, next) => answerAsApi(provider, ctx, next));
  return provider;
}

async function signInAutomatically(provider: Provider, ctx: Context, next: Next): Promise<void> {
  if (!ctx.path.startsWith('/interaction/')) return next();
  const { params } = await provider.interactionDetails(ctx.req, ctx.res);
  const grant = new provider.Grant({ accountId: 'ada', clientId: String(params.client_id) });
  grant.addOIDCScope(String(params.scope));
  const result = { login: { accountId: 'ada' }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(ctx.req, ctx.res, result, { mergeWithLastSubmission: false });
}

async function answerAsApi(provider: Provider, ctx: Context, next: Next): Promise<void> {
  if (ctx.path !== '/tickets.json') return next();
  const token = ctx.get('authorization').replace('Bearer ', '');
  const known = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
  ctx.body = { client: known?.clientId, scope: known?.scope };
}

async function follow(start: URL, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  while (url.origin === issuer) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = line.match(/^([^=]+)=([^;]*)/) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null)
      throw new Error(`${url} responded with ${response.status}: ${await response.text()}`);
    url = new URL(location, url);
  }
  return url;
}
