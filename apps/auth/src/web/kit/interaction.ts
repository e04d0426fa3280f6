import { AppError } from '@keydesk/server';
import type { Context } from 'koa';
import { type Client, errors, type InteractionResults, type Provider } from 'oidc-provider';
import { endSession } from '../../provider/log-out/end-session.ts';

/** An interaction of oidc-provider: it waits for sign-in or consent (`prompt`) before it answers the client. */
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/**
 * Finds the interaction in the path, which must have begun in this browser.
 *
 * @throws {errors.SessionNotFound} if it has ended or expired, or began in another browser
 * @throws {AppError} `forbidden` with the code `cookies_blocked` if it exists, but the browser sent no cookie
 */
export async function findInteraction(provider: Provider, ctx: Context): Promise<Interaction> {
  if (await hasLostCookies(provider, ctx)) throw cookiesBlocked();
  const interaction = await provider.interactionDetails(ctx.req, ctx.res);
  if (interaction.uid !== ctx.params.uid)
    throw new errors.SessionNotFound('the path names another interaction');
  return interaction;
}

/** Whether a browser was redirected to an existing interaction, but did not send the cookie that was set before. */
async function hasLostCookies(provider: Provider, ctx: Context): Promise<boolean> {
  const isRedirected = !['', 'none'].includes(ctx.get('sec-fetch-site'));
  if (!isRedirected || ctx.get('cookie') !== '') return false;
  return (await provider.Interaction.find(ctx.params.uid)) !== undefined;
}

/** Creates the error of a browser that does not send the cookies that were set. */
export function cookiesBlocked(): AppError {
  const message = 'The browser blocks cookies; allow cookies for this site.';
  return new AppError('forbidden', message, {
    errors: [{ field: 'cookie', code: 'cookies_blocked', message }],
  });
}

/** @throws {errors.InvalidClient} if the client has been removed or disabled */
export async function getClient(provider: Provider, { params }: Interaction): Promise<Client> {
  const client = await provider.Client.find(String(params.client_id));
  if (!client) throw new errors.InvalidClient('client is invalid', 'client not found');
  return client;
}

/** Passes the result to oidc-provider and redirects the browser to continue. */
export async function finishInteraction(
  provider: Provider,
  ctx: Context,
  result: InteractionResults,
  options: { mergeWithLastSubmission: boolean },
): Promise<void> {
  const returnTo = await provider.interactionResult(ctx.req, ctx.res, result, options);
  ctx.set('Cache-Control', 'no-store');
  ctx.status = 303;
  ctx.redirect(returnTo);
}

/**
 * Ends the browser's session before another user signs in. This also ends everything that is bound to the session, and
 * oidc-provider does not have to ask the previous user to sign out.
 *
 * @param exceptAccountId account whose session is kept
 */
export async function endPreviousSession(
  provider: Provider,
  ctx: Context,
  { interaction, exceptAccountId }: { interaction: Interaction; exceptAccountId?: string },
): Promise<void> {
  const session = await provider.Session.get(ctx);
  if (session.accountId !== undefined && session.accountId !== exceptAccountId)
    await endSession(provider, session);
  if (!interaction.session || interaction.session.accountId === exceptAccountId) return;
  const origin = await provider.Session.findByUid(interaction.session.uid);
  if (origin) await endSession(provider, origin);
  await detachSession(interaction);
}

/** Detaches an interaction from its session, so that it continues with the user who is signed in at its end. */
export async function detachSession(interaction: Interaction): Promise<void> {
  interaction.session = undefined;
  interaction.grantId = undefined;
  await interaction.persist();
}

/** Whether the request asks for an authentication that is no older than itself or some age. */
export function isReauthentication({ prompt, session, params }: Interaction): boolean {
  const prompts = String(params.prompt ?? '').split(' ');
  const isAskedAgain = prompt.name === 'login' && session !== undefined;
  return isAskedAgain || prompts.includes('login') || params.max_age !== undefined;
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
