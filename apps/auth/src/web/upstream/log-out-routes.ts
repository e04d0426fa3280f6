import { AppError } from '@keydesk/server';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Accounts } from '../../accounts/accounts.ts';
import type { IdentityProvider } from '../../accounts/identities/identity-provider.ts';
import { toArtifactKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { markOnce } from '../../artifacts/mark.ts';
import { routes } from '../../provider/routes.ts';
import { originOf } from '../kit/origin.ts';
import type { PageParts } from '../kit/page-parts.ts';
import { readForm } from '../kit/read-form.ts';
import type { LogOutToken, LogOutTokens } from './log-out-tokens.ts';
import { upstreamPath } from './provider-buttons.ts';
import { type UpstreamClient, UpstreamError } from './upstream-client.ts';
import { getProvider } from './upstream-routes.ts';

export interface UpstreamLogOutOptions {
  issuer: string;
  identityProviders: readonly IdentityProvider[];
  logOutTokens: LogOutTokens;
  client: Pick<UpstreamClient, 'findLogOutUrl'>;
  parts: Pick<PageParts, 'redirect' | 'errorPages'>;
  accounts: Pick<Accounts, 'endUpstreamSessions'>;
  artifacts: Pick<ArtifactStore, 'find' | 'insertOnce'>;
  now: () => Date;
}

const USED_MODEL = 'UsedLogoutToken';

/** Creates the routes at which providers log their users out, and users log out at a provider. */
export function createUpstreamLogOutRoutes(options: UpstreamLogOutOptions): Middleware {
  const router = new Router();
  const path = `${upstreamPath}/:provider`;
  router.post(`${path}/back-channel-log-out`, (ctx) => endByToken(options, ctx));
  router.get(`${path}/front-channel-log-out`, (ctx) => endBySid(options, ctx));
  router.get(`${path}/log-out`, options.parts.errorPages, (ctx) => redirectToLogOut(options, ctx));
  // The router adds the context members that its type requires.
  return router.routes() as unknown as Middleware;
}

/** Answers a logout token (OpenID Connect Back-Channel Logout 1.0 §2.5–2.8). */
async function endByToken(options: UpstreamLogOutOptions, ctx: Context): Promise<void> {
  const provider = getProvider(options, ctx);
  ctx.set('Cache-Control', 'no-store');
  const token = (await readForm(ctx)).get('logout_token') ?? '';
  try {
    await endOnce(options, ctx, provider, await options.logOutTokens.verify(provider, token));
    ctx.status = 200;
    ctx.body = '';
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err;
    const { reason, code } = err;
    ctx.state.log?.warn({ provider: provider.id, reason, code }, 'a log-out by a provider was rejected');
    if (reason === 'unavailable')
      throw new AppError('unavailable', 'The keys of the provider are not available; try again later.', {
        retryAfterSeconds: 5,
        cause: err,
      });
    ctx.status = 400;
    ctx.body = { error: 'invalid_request', error_description: `The logout token is invalid (${code}).` };
  }
}

/**
 * Ends the sessions of a token that was not used before. It is marked as used last, so that the provider can repeat an
 * interrupted call.
 */
async function endOnce(
  { artifacts, accounts, now }: UpstreamLogOutOptions,
  ctx: Context,
  { id: providerId, issuer }: IdentityProvider,
  { jti, expiresAt, subject, sid }: LogOutToken,
): Promise<void> {
  const used = { model: USED_MODEL, id: JSON.stringify([issuer, jti]), expiresAt };
  if (await artifacts.find(USED_MODEL, toArtifactKey(used.id), now()))
    throw new UpstreamError('invalid', 'jti');
  await accounts.endUpstreamSessions({ providerId, issuer, subject, sid, isProven: true }, originOf(ctx));
  await markOnce(artifacts, used, now());
}

/**
 * Ends the session that `iss` and `sid` name (OpenID Connect Front-Channel Logout 1.0 §2). The provider loads the URL in
 * a frame, which gets no cookies of this server, so that both are required.
 */
async function endBySid(options: UpstreamLogOutOptions, ctx: Context): Promise<void> {
  const { id: providerId, issuer } = getProvider(options, ctx);
  const { iss, sid } = ctx.query;
  ctx.set('Cache-Control', 'no-cache, no-store');
  ctx.set('Pragma', 'no-cache');
  if (iss !== issuer || typeof sid !== 'string' || sid === '')
    throw new AppError('invalid_request', 'Send the iss of this provider and the sid of the session.');
  await options.accounts.endUpstreamSessions({ providerId, issuer, sid, isProven: false }, originOf(ctx));
  ctx.status = 200;
  ctx.body = '';
}

/** Redirects to the log-out at the provider (OpenID Connect RP-Initiated Logout 1.0 §2). */
async function redirectToLogOut(options: UpstreamLogOutOptions, ctx: Context): Promise<void> {
  const provider = getProvider(options, ctx);
  const returnTo = options.issuer + routes.endSessionSuccess;
  const url = provider.isLogOutOffered ? await findLogOutUrl(options, provider, returnTo) : undefined;
  options.parts.redirect(ctx, url?.href ?? routes.endSessionSuccess);
}

async function findLogOutUrl(
  { client }: UpstreamLogOutOptions,
  provider: IdentityProvider,
  returnTo: string,
): Promise<URL | undefined> {
  try {
    return await client.findLogOutUrl(provider, returnTo);
  } catch (err) {
    if (err instanceof UpstreamError) return undefined;
    throw err;
  }
}
