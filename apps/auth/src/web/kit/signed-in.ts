import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { Account } from '../../accounts/account/account.ts';
import type { AccountStore } from '../../accounts/account/account-store.ts';
import { type Authentication, toAcr } from '../../accounts/account/authentication.ts';
import {
  isLeaving,
  isSignInStillValid,
  type LeavingAccount,
} from '../../accounts/account/credential-epoch.ts';
import type { FactorOwner } from '../../accounts/factors/second-factor-need.ts';
import { findCredentialEpoch, setCredentialEpoch } from '../../artifacts/credential-epochs.ts';
import { bindToRequest, recordActivity } from '../../artifacts/session-activity.ts';
import { setUpstreamSession } from '../../artifacts/upstream-sessions.ts';
import { SESSION_TTL_SECONDS } from '../../provider/configuration.ts';
import { endSession } from '../../provider/log-out/end-session.ts';
import { withReturnTo } from './local-path.ts';

/** Signed-in user of a request: the account as currently stored, and the session. */
interface SignedInUser {
  account: Account;
  session: Session;
  /** Whether the account has a second factor, which this session did not need on a trusted device. */
  isFactorSkipped: boolean;
}

/** Page where a user keeps an account that will be deleted. */
export const keepAccountPath = '/keep-account';

export interface SignedInOptions {
  accounts: Pick<AccountStore, 'find'>;
  /** Finds out whether a session lacks a second factor. */
  assessSession(
    ctx: Context,
    owner: FactorOwner,
    methods: readonly string[],
  ): Promise<'satisfied' | 'skipped' | 'missing'>;
}

interface RequireSignedInOptions extends SignedInOptions {
  now: () => Date;
}

/**
 * Finds the user of the session, if the sign-in is still valid and has the second factor that the account needs. The
 * authorization endpoint applies the same rules.
 */
export async function findSignedInUser(
  provider: Provider,
  ctx: Context,
  { accounts, assessSession }: SignedInOptions,
): Promise<SignedInUser | undefined> {
  const session = await provider.Session.get(ctx);
  if (session.accountId === undefined || session.loginTs === undefined) return undefined;
  const account = await accounts.find(session.accountId);
  if (!isSignInStillValid(account, findCredentialEpoch(session))) return undefined;
  const factor = await assessSession(ctx, account, session.amr ?? []);
  return factor === 'missing' ? undefined : { account, session, isFactorSkipped: factor === 'skipped' };
}

/** Finds the user of a session whose account will be deleted; for all else this user is not signed in. */
export async function findLeavingUser(
  provider: Provider,
  ctx: Context,
  { accounts, assessSession }: SignedInOptions,
): Promise<{ account: LeavingAccount } | undefined> {
  const session = await provider.Session.get(ctx);
  if (session.accountId === undefined) return undefined;
  const account = await accounts.find(session.accountId);
  if (!isLeaving(account, findCredentialEpoch(session))) return undefined;
  const factor = await assessSession(ctx, account, session.amr ?? []);
  return factor === 'missing' ? undefined : { account };
}

/** Requires a session; `getSignedInUser` returns its user. Redirects other requests to the sign-in page and back. */
export function requireSignedIn(provider: Provider, options: RequireSignedInOptions): Middleware {
  return async function requireUser(ctx, next) {
    const user = await findSignedInUser(provider, ctx, options);
    if (user) {
      await recordUse(provider, ctx, { session: user.session, now: options.now() });
      ctx.state.signedIn = user;
      return next();
    }
    ctx.set('Cache-Control', 'no-store');
    ctx.status = 303;
    const isLeavingUser = await findLeavingUser(provider, ctx, options);
    ctx.redirect(isLeavingUser ? keepAccountPath : withReturnTo('/sign-in', returnPathOf(ctx)));
  };
}

/** Records the use of a session, if possible; the page does not depend on it. */
async function recordUse(
  provider: Provider,
  ctx: Context,
  { session, now }: { session: Session; now: Date },
): Promise<void> {
  try {
    await recordActivity(provider, ctx, { session, now });
  } catch (err) {
    ctx.state.log?.warn({ err }, 'the use of a session could not be recorded');
  }
}

/** Returns the page to continue with after sign-in. After a POST, the page of the form, whose input is lost. */
function returnPathOf(ctx: Context): string {
  return ctx.path + (ctx.method === 'POST' ? '' : ctx.search);
}

/** Maximum age of an authentication before a change of credentials (OWASP ASVS 5.0 §7.5.1). */
const FRESH_SECONDS = 600;

/** Whether the user signed in within the last 10 minutes, with the second factor of the account. */
export function isFresh({ session, isFactorSkipped }: SignedInUser): boolean {
  // oidc-provider takes the time of a session from the machine's clock.
  return !isFactorSkipped && Date.now() / 1000 - (session.loginTs ?? 0) < FRESH_SECONDS;
}

/**
 * Requires a fresh authentication behind `requireSignedIn`. Redirects to the sign-in page and back; after a POST, to
 * the page of the form, without its input.
 */
export async function requireFreshAuthentication(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  if (!redirectUnlessFresh(ctx, returnPathOf(ctx))) await next();
}

/** Redirects a user without a fresh authentication to the sign-in page, then to `page`. Returns whether it did. */
export function redirectUnlessFresh(ctx: Context, page: string): boolean {
  if (isFresh(getSignedInUser(ctx))) return false;
  ctx.set('Cache-Control', 'no-store');
  ctx.status = 303;
  ctx.redirect(reauthenticationPath(page));
  return true;
}

/**
 * Requires a fresh authentication before a form that asks for the current password, unless the password is the only
 * factor of the user.
 */
export async function requireFreshFactor(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  const { account, session, isFactorSkipped } = getSignedInUser(ctx);
  const hasOtherFactor = isFactorSkipped || session.amr?.includes('mfa') || account.passwordHash === null;
  return hasOtherFactor ? requireFreshAuthentication(ctx, next) : void (await next());
}

/** Returns the path of the sign-in page that asks a signed-in user again, then continues at a local page. */
export function reauthenticationPath(returnTo: string): string {
  return `${withReturnTo('/sign-in', returnTo)}&prompt=login`;
}

/** @throws {Error} on a route without `requireSignedIn` */
export function getSignedInUser(ctx: Context): SignedInUser {
  const user: SignedInUser | undefined = ctx.state.signedIn;
  if (!user) throw new Error(`${ctx.path} is not behind requireSignedIn.`);
  return user;
}

/** Returns an authentication as the `login` of an interaction result, which oidc-provider copies to the session. */
export function toLogin({ account, methods, loginTs: ts, upstream }: Authentication) {
  const acr = toAcr(methods);
  const { id: accountId, credentialEpoch } = account;
  return {
    accountId,
    credentialEpoch,
    ts,
    amr: [...methods],
    ...(acr && { acr }),
    ...(upstream && { upstream }),
  };
}

/** Session of oidc-provider in this browser, shared with authorization requests. */
export type Session = InstanceType<Provider['Session']>;

/**
 * Signs a user in without an authorization request. The session gets a new id, so that a leaked or planted one is
 * invalid (OWASP ASVS 5.0 §7.2.4). A session of another account ends, and its clients are notified.
 */
export async function openSession(
  provider: Provider,
  ctx: Context,
  authentication: Authentication,
): Promise<void> {
  const { accountId, credentialEpoch, ts: loginTs, upstream, ...context } = toLogin(authentication);
  const found = await provider.Session.get(ctx);
  const isOfOther = found.accountId !== accountId;
  if (isOfOther && found.accountId !== undefined) await endSession(provider, found);
  const session = isOfOther ? new provider.Session() : found;
  if (!isOfOther) session.resetIdentifier();
  session.loginAccount({ accountId, loginTs, ...context });
  setCredentialEpoch(session, credentialEpoch);
  setUpstreamSession(session, upstream);
  bindToRequest(session, ctx);
  await session.save(SESSION_TTL_SECONDS);
  setSessionCookie(provider, ctx, session.jti);
}

function setSessionCookie(provider: Provider, ctx: Context, id: string): void {
  ctx.cookies.set(provider.cookieName('session'), id, {
    httpOnly: true,
    sameSite: 'lax',
    secure: ctx.secure,
    path: '/',
    overwrite: true,
    expires: new Date(Date.now() + SESSION_TTL_SECONDS * 1000),
  });
}
