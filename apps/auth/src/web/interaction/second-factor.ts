import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import type { Authentication } from '../../accounts/account/authentication.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { requiredAcrOf } from '../../provider/tokens/requested-acr.ts';
import type { CsrfTokens } from '../kit/form-guard.ts';
import { endPreviousSession, finishInteraction, getClient, type Interaction } from '../kit/interaction.ts';
import { originOf } from '../kit/origin.ts';
import { toLogin } from '../kit/signed-in.ts';
import type { SecondStep, SecondStepPlace } from '../second-factor/second-step.ts';
import type { SignInCompletion } from '../second-factor/sign-in-completion.ts';
import { type InteractionPages, nameBeforeSignIn, redirect } from './interaction-pages.ts';

export interface SecondFactorStepOptions {
  accounts: Pick<Accounts, 'recordSignIn'>;
  secondStep: SecondStep;
  tokens: CsrfTokens;
  pages: InteractionPages;
  noteExpiry: SignInCompletion['noteExpiry'];
}

/** Completion of the sign-in step of an interaction. */
export interface SecondFactorStep {
  /** Finishes the step, however the user was authenticated, or asks for the second factor first. */
  complete(
    provider: Provider,
    ctx: Context,
    interaction: Interaction,
    authentication: Authentication,
  ): Promise<void>;
  show(provider: Provider, ctx: Context, interaction: Interaction): Promise<void>;
  submit(provider: Provider, ctx: Context, interaction: Interaction, form: URLSearchParams): Promise<void>;
}

/** Result of the prompt `create`: the user has an account. */
export const signUpResult = { create: {} };

export function createSecondFactorStep(options: SecondFactorStepOptions): SecondFactorStep {
  const { accounts, secondStep, tokens, pages } = options;

  async function finish(
    provider: Provider,
    ctx: Context,
    interaction: Interaction,
    authentication: Authentication,
  ): Promise<void> {
    const { clientId } = await getClient(provider, interaction);
    await accounts.recordSignIn(authentication, originOf(ctx, clientId));
    await endPreviousSession(provider, ctx, { interaction, exceptAccountId: authentication.account.id });
    const result = { login: toLogin(authentication), ...signUpResult };
    await finishInteraction(provider, ctx, result, { mergeWithLastSubmission: false });
  }

  async function placeOf(
    provider: Provider,
    ctx: Context,
    interaction: Interaction,
  ): Promise<SecondStepPlace> {
    const client = await getClient(provider, interaction);
    const path = `/interaction/${interaction.uid}`;
    return {
      id: interaction.uid,
      clientId: client.clientId,
      application: { name: nameBeforeSignIn(client) },
      form: { action: secondFactorPathOf(interaction), csrf: tokens.tokenFor(interaction.uid) },
      links: { signIn: path, cancel: `${path}/cancel` },
      render: (render, view) =>
        pages.write(ctx, { interaction, path: secondFactorPathOf(interaction) }, render, view),
      async restart(reason) {
        if (reason) await options.noteExpiry(provider, ctx);
        redirect(ctx, path);
      },
      complete: (authentication) => finish(provider, ctx, interaction, authentication),
    };
  }

  return {
    async complete(provider, ctx, interaction, authentication) {
      const { clientId } = await getClient(provider, interaction);
      const place = { id: interaction.uid, clientId };
      const demand = { requiredAcr: requiredAcrOf(interaction) };
      const isPending = await secondStep.begin(ctx, place, { ...authentication, ...demand });
      if (!isPending) return finish(provider, ctx, interaction, authentication);
      redirect(ctx, secondFactorPathOf(interaction));
    },
    async show(provider, ctx, interaction) {
      await secondStep.show(ctx, await placeOf(provider, ctx, interaction));
    },
    async submit(provider, ctx, interaction, form) {
      await secondStep.submit(ctx, await placeOf(provider, ctx, interaction), form);
    },
  };
}

/** Returns the page of an interaction; its CSP allows the redirect to the application, unlike other pages'. */
function secondFactorPathOf({ uid }: Interaction): string {
  return `/interaction/${uid}/second-factor`;
}
