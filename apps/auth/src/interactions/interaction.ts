import { AppError } from '@keydesk/http';
import type { Context } from 'koa';
import { type Client, errors, type InteractionResults, type Provider } from 'oidc-provider';
import { endSession } from '../provider/session-notices.ts';

/** What the library waits for: somebody's sign-in or consent (`prompt`), on the way to a client. */
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/**
 * The interaction that the address names and that began in this browser.
 *
 * @throws {errors.SessionNotFound} when it has ended or expired, or began elsewhere
 * @throws {AppError} `forbidden` with the code `cookies_blocked` when it goes on, but the browser brought no cookie
 */
export async function findInteraction(provider: Provider, ctx: Context): Promise<Interaction> {
  if (await hasLostCookies(provider, ctx)) throw cookiesBlocked();
  const interaction = await provider.interactionDetails(ctx.req, ctx.res);
  if (interaction.uid !== ctx.params.uid) throw new errors.SessionNotFound('another interaction');
  return interaction;
}

/** Whether a browser was led to an interaction that goes on, without the cookie that it was given on the way. */
async function hasLostCookies(provider: Provider, ctx: Context): Promise<boolean> {
  const isLedHere = !['', 'none'].includes(ctx.get('sec-fetch-site'));
  if (!isLedHere || ctx.get('cookie') !== '') return false;
  return (await provider.Interaction.find(ctx.params.uid)) !== undefined;
}

/** The failure of a browser that was given cookies and brings none. */
export function cookiesBlocked(): AppError {
  const message = 'The browser keeps no cookies.';
  return new AppError('forbidden', message, {
    errors: [{ field: 'cookie', code: 'cookies_blocked', message }],
  });
}

/** @throws {errors.InvalidClient} when the client was removed or disabled meanwhile */
export async function getClient(provider: Provider, { params }: Interaction): Promise<Client> {
  const client = await provider.Client.find(String(params.client_id));
  if (!client) throw new errors.InvalidClient('client is invalid', 'client not found');
  return client;
}

/** Hands the outcome to the library and sends the browser on. */
export async function finish(
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
 * Ends the session that this browser has, for somebody else is about to sign in: what was not to outlive it ends with
 * it, and the library need not ask whether the first one wants to sign out.
 *
 * @param unlessOf the account whose session may go on
 */
export async function leaveSession(
  provider: Provider,
  ctx: Context,
  { interaction, unlessOf }: { interaction: Interaction; unlessOf?: string },
): Promise<void> {
  const session = await provider.Session.get(ctx);
  if (session.accountId !== undefined && session.accountId !== unlessOf) await endSession(provider, session);
  if (!interaction.session || interaction.session.accountId === unlessOf) return;
  const origin = await provider.Session.findByUid(interaction.session.uid);
  if (origin) await endSession(provider, origin);
  await detachSession(interaction);
}

/** Lets an interaction go on with whoever is signed in when it ends. */
export async function detachSession(interaction: Interaction): Promise<void> {
  interaction.session = undefined;
  interaction.grantId = undefined;
  await interaction.persist();
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
