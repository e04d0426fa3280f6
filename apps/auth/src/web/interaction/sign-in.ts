import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { meetsAcrRequest } from '../../provider/tokens/requested-acr.ts';
import type { CredentialsForm } from '../kit/forms/credentials-form.ts';
import {
  asString,
  detachSession,
  finishInteraction,
  getClient,
  type Interaction,
} from '../kit/interaction.ts';
import { keepAccountPath } from '../kit/signed-in.ts';
import type { InteractionPages } from './interaction-pages.ts';
import { type SecondFactorStep, signUpResult } from './second-factor.ts';
import type { UpstreamStep } from './upstream-step.ts';

/** Finds the account that is signed in in this browser, and how it was authenticated. */
export type FindSignedIn = (
  provider: Provider,
  ctx: Context,
) => Promise<
  | {
      account: { id: string; credentialEpoch: number };
      session: { loginTs?: number | undefined; acr?: string | undefined; amr?: string[] | undefined };
    }
  | undefined
>;

/** Whether the account of this browser will be deleted, so that the user can only keep it. */
export type IsLeaving = (provider: Provider, ctx: Context) => Promise<boolean>;

export interface SignInStepOptions {
  credentials: CredentialsForm;
  secondFactor: Pick<SecondFactorStep, 'complete'>;
  findSignedIn: FindSignedIn;
  isLeaving: IsLeaving;
  pages: InteractionPages;
  upstream: Pick<UpstreamStep, 'redirectByHint'>;
}

/** Sign-in step of an interaction. */
export interface SignInStep {
  /** Redirects to the sign-up page. */
  redirectToSignUp(provider: Provider, ctx: Context, interaction: Interaction): Promise<void>;
  show(provider: Provider, ctx: Context, interaction: Interaction, email?: string): Promise<void>;
  submit(provider: Provider, ctx: Context, interaction: Interaction, form: URLSearchParams): Promise<void>;
}

export function createSignInStep({
  credentials,
  secondFactor,
  findSignedIn,
  isLeaving,
  pages,
  upstream,
}: SignInStepOptions): SignInStep {
  /** Continues with a user who has since signed in or verified a new account in another tab. */
  async function resumeSession(
    provider: Provider,
    ctx: Context,
    { prompt, params }: Interaction,
  ): Promise<boolean> {
    const isAnyAccountAllowed = prompt.reasons.every(
      (each) => each === 'no_session' || each === 'create_prompt',
    );
    const signedIn = isAnyAccountAllowed ? await findSignedIn(provider, ctx) : undefined;
    if (!signedIn) return false;
    if (prompt.name === 'create') {
      // oidc-provider checks the session itself, and whether the request needs more than that.
      await finishInteraction(provider, ctx, signUpResult, { mergeWithLastSubmission: false });
      return true;
    }
    const { loginTs: ts, acr, amr } = signedIn.session;
    if (!meetsAcrRequest(params, acr)) return false;
    const authentication = { ...(ts !== undefined && { ts }), ...(acr && { acr }), ...(amr && { amr }) };
    const { id: accountId, credentialEpoch } = signedIn.account;
    const login = { accountId, credentialEpoch, ...authentication };
    await finishInteraction(provider, ctx, { login, ...signUpResult }, { mergeWithLastSubmission: false });
    return true;
  }

  return {
    async redirectToSignUp(_provider, ctx, interaction) {
      // The new account must not use the session in which the interaction began.
      await detachSession(interaction);
      pages.redirectToSignUp(ctx, interaction);
    },
    async show(provider, ctx, interaction, email) {
      if (await isLeaving(provider, ctx)) {
        ctx.status = 303;
        return ctx.redirect(keepAccountPath);
      }
      if (await resumeSession(provider, ctx, interaction)) return;
      if (upstream.redirectByHint(ctx, interaction)) return;
      const hint = email ?? asString(interaction.params.login_hint);
      const client = await getClient(provider, interaction);
      pages.writeSignIn(ctx, { interaction, client, email: hint });
    },
    async submit(provider, ctx, interaction, form) {
      const email = form.get('email') ?? '';
      if (!form.get('password') && upstream.redirectByHint(ctx, interaction, email)) return;
      const client = await getClient(provider, interaction);
      const checked = await credentials.check(ctx, form, client.clientId);
      if (checked.account) return secondFactor.complete(provider, ctx, interaction, checked);
      ctx.status = checked.status;
      const { problems } = checked;
      pages.writeSignIn(ctx, { interaction, client, email, problems });
    },
  };
}
