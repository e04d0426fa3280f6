import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { ConsentStep } from './consent.ts';
import type { FormTokens } from './form-tokens.ts';
import { findInteraction, type Interaction, leaveSession } from './interaction.ts';
import { readForm } from './read-form.ts';
import type { SignInStep } from './sign-in.ts';

export interface InteractionRoutesOptions {
  signIn: SignInStep;
  consent: ConsentStep;
  errorPages: Middleware;
  tokens: FormTokens;
}

type Answer = (ctx: Context, interaction: Interaction) => Promise<void>;
type AnswerForm = (ctx: Context, interaction: Interaction, form: URLSearchParams) => Promise<void>;

/** The pages between an authorization request and its response: sign-in and consent. */
export function createInteractionRoutes(provider: Provider, options: InteractionRoutesOptions): Middleware {
  const { signIn, consent, tokens } = options;
  const router = new Router();

  /** What the interaction waits for. */
  const show: Answer = (ctx, interaction) => {
    if (isForConsent(interaction)) return consent.show(provider, ctx, interaction);
    const step = isForSignUp(ctx, interaction) ? signIn.leadToSignUp : signIn.show;
    return step(provider, ctx, interaction);
  };

  /** Nothing is done for a form that was not ours; it is shown once more, with a token that is. */
  async function refuseForm(ctx: Context, interaction: Interaction): Promise<void> {
    ctx.status = 403;
    if (isForConsent(interaction)) return consent.showAgain(provider, ctx, interaction);
    return signIn.show(provider, ctx, interaction);
  }

  const answer = (handle: Answer) => async (ctx: Context) =>
    handle(ctx, await findInteraction(provider, ctx));
  const answerForm = (handle: AnswerForm) =>
    answer(async (ctx, interaction) => {
      const form = await readForm(ctx);
      if (!tokens.isTokenFor(interaction.uid, form.get('csrf') ?? '')) return refuseForm(ctx, interaction);
      return handle(ctx, interaction, form);
    });

  router.use(options.errorPages);
  router.get('/interaction/:uid', answer(show));
  router.get(
    '/interaction/:uid/cancel',
    answer((ctx, interaction) => consent.deny(provider, ctx, interaction)),
  );
  router.post(
    '/interaction/:uid/sign-in',
    answerForm((ctx, interaction, form) => signIn.submit(provider, ctx, interaction, form)),
  );
  router.post(
    '/interaction/:uid/consent',
    answerForm((ctx, interaction, form) => {
      if (!isForConsent(interaction)) return show(ctx, interaction);
      const isAllowed = form.get('decision') === 'allow';
      return isAllowed ? consent.allow(provider, ctx, interaction) : consent.deny(provider, ctx, interaction);
    }),
  );
  router.post(
    '/interaction/:uid/switch-account',
    answerForm(async (ctx, interaction) => {
      await leaveSession(provider, ctx, { interaction });
      await signIn.show(provider, ctx, interaction, '');
    }),
  );
  // The router adds what its type asks of the context.
  return router.routes() as unknown as Middleware;
}

/** Whether somebody is signed in and asked to allow something; who chose another account has to sign in first. */
function isForConsent({ prompt, session }: Interaction): boolean {
  return prompt.name === 'consent' && session !== undefined;
}

/** Whether an application sends somebody to open an account, who has not been led to that page yet. */
function isForSignUp({ query }: Context, { prompt }: Interaction): boolean {
  return prompt.name === 'create' && query.prompt === 'create';
}
