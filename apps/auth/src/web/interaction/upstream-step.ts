import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import type { Authentication } from '../../accounts/account/authentication.ts';
import { asString, type Interaction, isReauthentication } from '../kit/interaction.ts';
import type { ProviderButtons } from '../upstream/provider-buttons.ts';
import type { SecondFactorStep } from './second-factor.ts';

export interface UpstreamStepOptions {
  secondFactor: Pick<SecondFactorStep, 'complete'>;
  buttons: Pick<ProviderButtons, 'findByHint' | 'pathTo'>;
  /** Takes the result of the sign-in for this interaction from the browser. */
  takeResult(ctx: Context, interaction: Interaction): Promise<CompletedUpstream | undefined>;
}

/** Authentication by a provider, and whether the user had to sign in there again. */
export type CompletedUpstream = Authentication & { isAgain: boolean };

/** Sign-in at another provider, as part of an interaction. */
export interface UpstreamStep {
  /** Redirects to the provider that the request or the typed address names; returns whether it did. */
  redirectByHint(ctx: Context, interaction: Interaction, email?: string): boolean;
  /** Finishes the sign-in step with the result of a provider. */
  finish(provider: Provider, ctx: Context, interaction: Interaction): Promise<void>;
}

export function createUpstreamStep({ buttons, secondFactor, takeResult }: UpstreamStepOptions): UpstreamStep {
  /** A provider of which the request has just failed is not asked again by itself. */
  const isChosenByUser = (ctx: Context) => ctx.query.choose !== undefined;

  return {
    redirectByHint(ctx, interaction, email) {
      const { idp_hint: named, domain_hint: domain, login_hint: login } = interaction.params;
      if (email === undefined && (ctx.method !== 'GET' || isChosenByUser(ctx))) return false;
      const hints = email === undefined ? { provider: named, domain, login } : { login: email };
      const found = buttons.findByHint(hints);
      const isAgain = isReauthentication(interaction);
      if (!found || (isAgain && !found.canReauthenticate)) return false;
      const loginHint = email ?? asString(login);
      redirect(
        ctx,
        buttons.pathTo(found, { returnTo: `/interaction/${interaction.uid}`, isAgain, loginHint }),
      );
      return true;
    },
    async finish(provider, ctx, interaction) {
      const result = await takeResult(ctx, interaction);
      // A provider's old session does not count where the application asks for a new authentication.
      if (!result || (isReauthentication(interaction) && !result.isAgain))
        return redirect(ctx, `/interaction/${interaction.uid}?choose=true`);
      await secondFactor.complete(provider, ctx, interaction, result);
    },
  };
}

function redirect(ctx: Context, path: string): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.status = 303;
  ctx.redirect(path);
}
