import { randomUUID } from 'node:crypto';
import { AppError } from '@keydesk/server';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import type { Authentication, UpstreamSession } from '../../accounts/account/authentication.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import type { IdentityLinks } from '../../accounts/identities/identity-links.ts';
import type { IdentityProvider } from '../../accounts/identities/identity-provider.ts';
import type { UpstreamUser } from '../../accounts/identities/upstream-user.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { markOnce } from '../../artifacts/mark.ts';
import { startUpstreamSession } from '../../artifacts/upstream-log-outs.ts';
import type { Notice } from '../../pages/views/forms.ts';
import type { SealedCookies } from '../kit/cookies/sealed-cookies.ts';
import type { CredentialsForm } from '../kit/forms/credentials-form.ts';
import { asString } from '../kit/interaction.ts';
import { parseLocalPath } from '../kit/local-path.ts';
import { originOf } from '../kit/origin.ts';
import type { PageParts } from '../kit/page-parts.ts';
import { readForm } from '../kit/read-form.ts';
import { findSignedInUser } from '../kit/signed-in.ts';
import type { SignInCompletion } from '../second-factor/sign-in-completion.ts';
import { confirmPathOf, identityPaths, upstreamPath } from './provider-buttons.ts';
import {
  REQUEST_TTL_SECONDS,
  type ResponseChecks,
  type UpstreamClient,
  UpstreamError,
} from './upstream-client.ts';

/** Sign-in at a provider that this browser has begun. */
export interface UpstreamFlow {
  providerId: string;
  checks: ResponseChecks;
  returnTo: string | undefined;
  isAgain: boolean;
  /** Account to which the identity is linked; absent for a sign-in. */
  linkTo?: string | undefined;
}

/** Identity that waits for the user's confirmation to be linked. */
export interface PendingLink {
  accountId: string;
  providerId: string;
  user: Pick<UpstreamUser, 'issuer' | 'subject' | 'email' | 'isEmailVerified' | 'label'>;
}

/** Completed sign-in at a provider, on its way to the page that continues, to which it is bound. */
export interface UpstreamResult {
  accountId: string;
  credentialEpoch: number;
  methods: readonly string[];
  loginTs: number;
  upstream: UpstreamSession | undefined;
  isAgain: boolean;
}

export interface UpstreamOptions {
  issuer: string;
  identityProviders: readonly IdentityProvider[];
  client: UpstreamClient;
  /** By `state`, because several tabs may sign in at the same time. */
  flows: SealedCookies<UpstreamFlow>;
  /** By the page that continues. */
  results: SealedCookies<UpstreamResult>;
  pendingLinks: SealedCookies<PendingLink>;
  parts: PageParts;
  accounts: Pick<Accounts, 'signInWithIdentity' | keyof IdentityLinks>;
  artifacts: Pick<ArtifactStore, 'insertOnce'>;
  completion: Pick<SignInCompletion, 'complete'>;
  credentials: Pick<CredentialsForm, 'greetDevice'>;
  now: () => Date;
}

const refusals = {
  domain_not_allowed: 'provider_domain_not_allowed',
  email_unverified: 'provider_email_unverified',
  sign_up_closed: 'provider_sign_up_closed',
  account_disabled: 'provider_account_disabled',
  sign_in_first: 'provider_sign_in_first',
} as const;
const failures = {
  denied: 'provider_denied',
  unavailable: 'provider_unavailable',
  invalid: 'provider_failed',
} as const;
type NoticeCode =
  | (typeof refusals)[keyof typeof refusals]
  | (typeof failures)[keyof typeof failures]
  | 'provider_expired';

/** Parameters of an authorization response (RFC 6749 §4.1.2, RFC 9207 §2). */
const responseParameters = ['code', 'state', 'iss', 'error', 'error_description', 'session_state'];

/** Creates the routes of the sign-in at providers. */
export function createUpstreamRoutes(provider: Provider, options: UpstreamOptions): Middleware {
  const router = new Router();
  const { parts, flows } = options;

  async function beginSignIn(ctx: Context): Promise<void> {
    const upstream = getProvider(options, ctx);
    const isAgain = ctx.query.again === 'true';
    if (isAgain && !upstream.canReauthenticate) throw notFound();
    const returnTo = parseLocalPath(ctx.query.return_to);
    const { login_hint: loginHint } = ctx.query;
    await beginUpstream(options, ctx, upstream, {
      returnTo,
      isAgain,
      loginHint: typeof loginHint === 'string' ? loginHint : undefined,
    });
  }

  async function finishSignIn(ctx: Context): Promise<void> {
    const upstream = getProvider(options, ctx);
    const flow = flows.take(ctx, asString(ctx.query.state) ?? '');
    if (flow?.providerId !== upstream.id || !(await markUsed(options, flow)))
      return leave(options, ctx, upstream, undefined, 'provider_expired');
    const user = await receiveUser(options, ctx, upstream, flow);
    if (!user) return;
    const upstreamSession = await startUpstreamSession(options.artifacts, user, options.now());
    if (flow.linkTo !== undefined) return askToLink(options, ctx, { accountId: flow.linkTo, user });
    const signedIn = await options.accounts.signInWithIdentity({ provider: upstream, user }, originOf(ctx));
    if (!signedIn.account) return leave(options, ctx, upstream, flow, refusals[signedIn.refusal]);
    options.credentials.greetDevice(ctx, signedIn.account);
    const loginTs = await loginTimeOf(provider, ctx, options, { user, accountId: signedIn.account.id });
    const { account } = signedIn;
    const authentication = { account, methods: user.methods, loginTs, upstream: upstreamSession };
    await continueSignIn(provider, ctx, options, { authentication, flow });
  }

  /** Repeats a posted response as a GET request, because browsers send no cookie with a cross-site POST. */
  async function repeatAsGet(ctx: Context): Promise<void> {
    const { id } = getProvider(options, ctx);
    const form = await readForm(ctx);
    const given = responseParameters.flatMap((name) =>
      form.getAll(name).map((value): [string, string] => [name, value]),
    );
    parts.redirect(ctx, `${callbackPathOf(id)}?${new URLSearchParams(given)}`);
  }

  router.use(parts.errorPages);
  router.get(`${upstreamPath}/:provider`, beginSignIn);
  router.get(`${upstreamPath}/:provider/callback`, finishSignIn);
  router.post(`${upstreamPath}/:provider/callback`, repeatAsGet);
  // The router adds the context members that its type requires.
  return router.routes() as unknown as Middleware;
}

/** Keeps the identity until the user confirms the link. */
function askToLink(
  { parts, pendingLinks }: UpstreamOptions,
  ctx: Context,
  { accountId, user }: { accountId: string; user: UpstreamUser },
): void {
  const { issuer, subject, email, isEmailVerified, label } = user;
  const identity = { issuer, subject, email, isEmailVerified, label };
  const id = randomUUID();
  pendingLinks.set(ctx, id, { accountId, providerId: ctx.params.provider, user: identity });
  parts.redirect(ctx, confirmPathOf(id));
}

/** @throws {AppError} `not_found` */
export function getProvider(
  { identityProviders }: Pick<UpstreamOptions, 'identityProviders'>,
  ctx: Context,
): IdentityProvider {
  const found = identityProviders.find(({ id }) => id === ctx.params.provider);
  if (!found) throw notFound();
  return found;
}

const notFound = () => new AppError('not_found', 'No identity provider has this name.');

/** The callback differs between providers, so that one cannot pass off its response as another's (RFC 9700 §4.4.2). */
function callbackPathOf(providerId: string): string {
  return `${upstreamPath}/${providerId}/callback`;
}

interface NewFlow extends Pick<UpstreamFlow, 'returnTo' | 'isAgain' | 'linkTo'> {
  loginHint?: string | undefined;
}

/** Redirects the browser to the provider. */
export async function beginUpstream(
  options: UpstreamOptions,
  ctx: Context,
  upstream: IdentityProvider,
  { loginHint, ...flow }: NewFlow,
): Promise<void> {
  const checks = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
  const redirectUri = options.issuer + callbackPathOf(upstream.id);
  const request = { checks, redirectUri, loginHint, isAgain: flow.isAgain };
  try {
    const url = await options.client.begin(upstream, request);
    options.flows.set(ctx, checks.state, { ...flow, providerId: upstream.id, checks });
    options.parts.redirect(ctx, url.href);
  } catch (err) {
    reportFailure(options, ctx, upstream, { flow, err });
  }
}

/** Returns the user of a response; otherwise redirects back with a notice. */
async function receiveUser(
  options: UpstreamOptions,
  ctx: Context,
  upstream: IdentityProvider,
  flow: UpstreamFlow,
): Promise<UpstreamUser | undefined> {
  const redirectUri = options.issuer + callbackPathOf(upstream.id);
  try {
    const { checks, isAgain } = flow;
    const request = { checks, redirectUri, isAgain };
    return await options.client.finish(upstream, new URL(redirectUri + ctx.search), request);
  } catch (err) {
    reportFailure(options, ctx, upstream, { flow, err });
    return undefined;
  }
}

/** Logs the code of a failure, not its cause, which may contain claims of the user. */
function reportFailure(
  options: UpstreamOptions,
  ctx: Context,
  upstream: IdentityProvider,
  { flow, err }: { flow: Pick<UpstreamFlow, 'returnTo' | 'linkTo'>; err: unknown },
): void {
  if (!(err instanceof UpstreamError)) throw err;
  const { reason, code } = err;
  ctx.state.log?.warn({ provider: upstream.id, reason, code }, 'sign-in at a provider failed');
  leave(options, ctx, upstream, flow, failures[reason]);
}

/** Redirects to the page on which the user can choose another way to sign in. */
function leave(
  { parts }: UpstreamOptions,
  ctx: Context,
  upstream: IdentityProvider,
  flow: Pick<UpstreamFlow, 'returnTo' | 'linkTo'> | undefined,
  code: NoticeCode,
): void {
  const notice: Notice = { code, values: { provider: upstream.name } };
  parts.flash.set(ctx, notice);
  if (flow?.linkTo !== undefined) return void parts.redirect(ctx, identityPaths.list);
  // `choose` keeps a hint from leading straight back to the provider.
  const parameters = new URLSearchParams({ choose: 'true' });
  const returnTo = flow?.returnTo;
  if (returnTo !== undefined && !isInteraction(returnTo)) parameters.set('return_to', returnTo);
  parts.redirect(ctx, `${isInteraction(returnTo) ? returnTo : '/sign-in'}?${parameters}`);
}

function isInteraction(path: string | undefined): path is string {
  return path !== undefined && /^\/interaction\/[\w-]+$/.test(path);
}

/** Marks a flow as used, so that its response is accepted once (RFC 9700 §4.7). */
function markUsed({ artifacts, now }: UpstreamOptions, { checks }: UpstreamFlow): Promise<boolean> {
  const at = now();
  const expiresAt = new Date(at.getTime() + 2 * REQUEST_TTL_SECONDS * 1000);
  return markOnce(artifacts, { model: 'UsedUpstreamState', id: checks.state, expiresAt }, at);
}

/**
 * Returns the time of the authentication as stated by the provider. A provider that states none does not make the
 * current session of the user any fresher.
 */
async function loginTimeOf(
  provider: Provider,
  ctx: Context,
  { parts }: UpstreamOptions,
  { user, accountId }: { user: UpstreamUser; accountId: string },
): Promise<number> {
  // oidc-provider takes the time of a session from the machine's clock.
  const nowSeconds = Math.floor(Date.now() / 1000);
  if (user.authTime !== undefined) return Math.min(user.authTime, nowSeconds);
  const present = await findSignedInUser(provider, ctx, parts);
  return present?.account.id === accountId ? (present.session.loginTs ?? nowSeconds) : nowSeconds;
}

/** Continues in the interaction, which has cookies of its own, or opens the session. */
async function continueSignIn(
  provider: Provider,
  ctx: Context,
  options: UpstreamOptions,
  { authentication, flow }: { authentication: Authentication; flow: UpstreamFlow },
): Promise<void> {
  const { returnTo, isAgain } = flow;
  if (!isInteraction(returnTo))
    return options.completion.complete(provider, ctx, authentication, { returnTo, isAgain });
  const { account, methods, loginTs, upstream } = authentication;
  const { id: accountId, credentialEpoch } = account;
  const result = { accountId, credentialEpoch, methods, loginTs, upstream, isAgain };
  options.results.set(ctx, returnTo, result);
  options.parts.redirect(ctx, `${returnTo}/upstream`);
}
