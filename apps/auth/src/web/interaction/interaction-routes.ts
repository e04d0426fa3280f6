import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { AccountStore } from '../../accounts/account/account-store.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import type { Audit } from '../../audit/audit.ts';
import type { Pages } from '../../pages/pages.ts';
import type { RememberedConsents } from '../../provider/grants/remembered-consents.ts';
import { errorPages, type FindErrorActions } from '../kit/error-pages.ts';
import { type CsrfTokens, createCsrfTokens } from '../kit/form-guard.ts';
import type { CredentialsForm } from '../kit/forms/credentials-form.ts';
import { endPreviousSession, findInteraction, type Interaction } from '../kit/interaction.ts';
import { readForm } from '../kit/read-form.ts';
import type { RecentApplications } from '../kit/recent-applications.ts';
import type { SecondStep } from '../second-factor/second-step.ts';
import type { ProviderButtons } from '../upstream/provider-buttons.ts';
import { type ConsentStep, createConsentStep } from './consent.ts';
import { createInteractionPages, type InteractionPagesOptions } from './interaction-pages.ts';
import {
  createSecondFactorStep,
  type SecondFactorStep,
  type SecondFactorStepOptions,
} from './second-factor.ts';
import { createSignInStep, type FindSignedIn, type IsLeaving, type SignInStep } from './sign-in.ts';
import { createUpstreamStep, type UpstreamStep, type UpstreamStepOptions } from './upstream-step.ts';

export interface InteractionRoutesOptions {
  signIn: SignInStep;
  secondFactor: SecondFactorStep;
  upstream: UpstreamStep;
  consent: ConsentStep;
  errorPages: Middleware;
  tokens: CsrfTokens;
}

type Handler = (ctx: Context, interaction: Interaction) => Promise<void>;
type FormHandler = (ctx: Context, interaction: Interaction, form: URLSearchParams) => Promise<void>;

/** Creates the pages between an authorization request and its response: sign-in and consent. */
export function createInteractionRoutes(provider: Provider, options: InteractionRoutesOptions): Middleware {
  const { signIn, upstream, secondFactor, consent, tokens } = options;
  const router = new Router();

  /** Shows the page that the interaction waits for. */
  async function showInteraction(ctx: Context, interaction: Interaction): Promise<void> {
    if (isAwaitingConsent(interaction)) return consent.show(provider, ctx, interaction);
    const step = isAwaitingSignUp(ctx, interaction) ? signIn.redirectToSignUp : signIn.show;
    return step(provider, ctx, interaction);
  }

  async function cancelInteraction(ctx: Context, interaction: Interaction): Promise<void> {
    await consent.deny(provider, ctx, interaction);
  }

  async function submitSignIn(ctx: Context, interaction: Interaction, form: URLSearchParams): Promise<void> {
    await signIn.submit(provider, ctx, interaction, form);
  }

  async function showSecondFactor(ctx: Context, interaction: Interaction): Promise<void> {
    await secondFactor.show(provider, ctx, interaction);
  }

  async function submitSecondFactor(
    ctx: Context,
    interaction: Interaction,
    form: URLSearchParams,
  ): Promise<void> {
    await secondFactor.submit(provider, ctx, interaction, form);
  }

  async function submitConsent(ctx: Context, interaction: Interaction, form: URLSearchParams): Promise<void> {
    if (!isAwaitingConsent(interaction)) return showInteraction(ctx, interaction);
    const decide = form.get('decision') === 'allow' ? consent.allow : consent.deny;
    await decide(provider, ctx, interaction);
  }

  async function switchAccount(ctx: Context, interaction: Interaction): Promise<void> {
    await endPreviousSession(provider, ctx, { interaction });
    await signIn.show(provider, ctx, interaction, '');
  }

  /** Shows a form with an invalid CSRF token again, with a new token. */
  async function rejectForm(ctx: Context, interaction: Interaction): Promise<void> {
    ctx.status = 403;
    if (isAwaitingConsent(interaction)) return consent.showExpiredForm(provider, ctx, interaction);
    return signIn.show(provider, ctx, interaction);
  }

  async function finishUpstream(ctx: Context, interaction: Interaction): Promise<void> {
    await upstream.finish(provider, ctx, interaction);
  }

  const withInteraction = (handle: Handler) => async (ctx: Context) =>
    handle(ctx, await findInteraction(provider, ctx));
  const withForm = (handle: FormHandler) =>
    withInteraction(async (ctx, interaction) => {
      const form = await readForm(ctx);
      if (!tokens.isTokenFor(interaction.uid, form.get('csrf') ?? '')) return rejectForm(ctx, interaction);
      return handle(ctx, interaction, form);
    });

  router.use(options.errorPages);
  router.get('/interaction/:uid', withInteraction(showInteraction));
  router.get('/interaction/:uid/cancel', withInteraction(cancelInteraction));
  router.get('/interaction/:uid/upstream', withInteraction(finishUpstream));
  router.post('/interaction/:uid/sign-in', withForm(submitSignIn));
  router.get('/interaction/:uid/second-factor', withInteraction(showSecondFactor));
  router.post('/interaction/:uid/second-factor', withForm(submitSecondFactor));
  router.post('/interaction/:uid/consent', withForm(submitConsent));
  router.post('/interaction/:uid/switch-account', withForm(switchAccount));
  // The router adds the context members that its type requires.
  return router.routes() as unknown as Middleware;
}

/** Whether a signed-in user is asked for consent; after switching accounts, sign-in comes first. */
function isAwaitingConsent({ prompt, session }: Interaction): boolean {
  return prompt.name === 'consent' && session !== undefined;
}

/** Whether the request asks for sign-up (`prompt=create`) and the user has not seen that page yet. */
function isAwaitingSignUp({ query }: Context, { prompt }: Interaction): boolean {
  return prompt.name === 'create' && query.prompt === 'create';
}

interface InteractionStepsOptions {
  accounts: Pick<AccountStore, 'find'>;
  signIns: Pick<Accounts, 'recordSignIn'> & InteractionPagesOptions['accounts'];
  secondStep: SecondStep;
  /** 32 bytes, derived only for forms. */
  formKey: Uint8Array;
  credentials: CredentialsForm;
  findSignedIn: FindSignedIn;
  isLeaving: IsLeaving;
  pages: Pages;
  isSignUpOpen: boolean;
  takeNotice: InteractionPagesOptions['takeNotice'];
  noteExpiry: SecondFactorStepOptions['noteExpiry'];
  recent: RecentApplications;
  providerButtons: ProviderButtons;
  takeUpstreamResult: UpstreamStepOptions['takeResult'];
  findErrorActions: FindErrorActions;
  consents: Pick<RememberedConsents, 'remember'>;
  audit: Pick<Audit, 'record'>;
  now: () => Date;
}

/** Creates the steps of an interaction, independent of a provider. */
export function createInteractionSteps(options: InteractionStepsOptions): InteractionRoutesOptions {
  const {
    accounts,
    signIns,
    secondStep,
    credentials,
    findSignedIn,
    isLeaving,
    recent,
    consents,
    audit,
    now,
  } = options;
  const tokens = createCsrfTokens(options.formKey, 'interaction');
  const pages = createInteractionPages({
    pages: options.pages,
    tokens,
    accounts: options.signIns,
    isSignUpOpen: options.isSignUpOpen,
    takeNotice: options.takeNotice,
    recent,
    providerButtons: options.providerButtons,
  });
  const secondFactor = createSecondFactorStep({
    accounts: signIns,
    secondStep,
    tokens,
    pages,
    noteExpiry: options.noteExpiry,
  });
  const upstream = createUpstreamStep({
    secondFactor,
    buttons: options.providerButtons,
    takeResult: options.takeUpstreamResult,
  });
  return {
    tokens,
    errorPages: errorPages(options.pages, options.findErrorActions),
    secondFactor,
    upstream,
    signIn: createSignInStep({ credentials, secondFactor, findSignedIn, isLeaving, pages, upstream }),
    consent: createConsentStep({ accounts, pages, consents, audit, now }),
  };
}
