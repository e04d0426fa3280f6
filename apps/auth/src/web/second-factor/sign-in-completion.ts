import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import type { Authentication } from '../../accounts/account/authentication.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { paths } from '../kit/account-paths.ts';
import { withReturnTo } from '../kit/local-path.ts';
import { originOf } from '../kit/origin.ts';
import type { PageParts } from '../kit/page-parts.ts';
import { findSignedInUser, isFresh, openSession, type SignedInOptions } from '../kit/signed-in.ts';
import type { SecondStep } from './second-step.ts';

interface CompletionOptions {
  parts: Pick<PageParts, 'redirect' | 'flash' | keyof SignedInOptions>;
  accounts: Pick<Accounts, 'recordSignIn'>;
  secondStep: Pick<SecondStep, 'begin'>;
}

export interface AfterSignIn {
  /** Local page to continue at; default: the account page. */
  returnTo?: string | undefined;
  /** Whether a signed-in user signed in again before a change. */
  isAgain?: boolean | undefined;
}

/** Completes sign-ins outside of authorization requests, however the user was authenticated. */
export interface SignInCompletion {
  /** Opens the session and continues, or asks for the second factor first. */
  complete(
    provider: Provider,
    ctx: Context,
    authentication: Authentication,
    after?: AfterSignIn,
  ): Promise<void>;
  /** Opens the session of a complete sign-in. */
  open(provider: Provider, ctx: Context, authentication: Authentication, after?: AfterSignIn): Promise<void>;
  /**
   * Leaves the reason for the sign-in page, unless the user has signed in in the meantime and another page would show
   * it.
   */
  noteExpiry(provider: Provider, ctx: Context): Promise<void>;
}

/** Place of the second step of these sign-ins; see `SecondStepPlace`. */
export const ACCOUNT_PLACE = 'account pages';

export function createSignInCompletion({ parts, accounts, secondStep }: CompletionOptions): SignInCompletion {
  async function open(
    provider: Provider,
    ctx: Context,
    authentication: Authentication,
    { returnTo }: AfterSignIn = {},
  ): Promise<void> {
    await accounts.recordSignIn(authentication, originOf(ctx));
    await openSession(provider, ctx, authentication);
    parts.redirect(ctx, returnTo ?? paths.account);
  }

  return {
    open,
    async noteExpiry(provider, ctx) {
      const user = await findSignedInUser(provider, ctx, parts);
      if (!user || !isFresh(user)) parts.flash.set(ctx, { code: 'sign_in_expired' });
    },
    async complete(provider, ctx, authentication, after = {}) {
      const { returnTo, isAgain } = after;
      const isPending = await secondStep.begin(ctx, { id: ACCOUNT_PLACE }, { ...authentication, isAgain });
      if (!isPending) return open(provider, ctx, authentication, after);
      parts.redirect(ctx, withReturnTo(paths.secondFactor, returnTo));
    },
  };
}
