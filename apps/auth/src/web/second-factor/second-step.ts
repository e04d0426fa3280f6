import type { Context } from 'koa';
import type { Authentication } from '../../accounts/account/authentication.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import type { SecondFactorNeed } from '../../accounts/factors/second-factor-need.ts';
import type { Pages } from '../../pages/pages.ts';
import type { RenderPage } from '../../pages/render.ts';
import { originOf } from '../kit/origin.ts';
import { createCodeStep } from './code-step.ts';
import type { FactorCookies } from './factor-browser.ts';
import type { PendingSignIn, PendingSignIns, SignInDemand } from './pending-sign-ins.ts';
import { createSetUpStep } from './set-up-step.ts';

/** Page on which a sign-in gets its second factor: that of the account pages, or that of one interaction. */
export interface SecondStepPlace {
  /** Identifies the place; a sign-in that began at one place never continues at another. */
  id: string;
  clientId?: string | undefined;
  application?: { name: string } | undefined;
  form: { action: string; csrf: string };
  links: { signIn: string; cancel?: string | undefined };
  render<View>(render: RenderPage<View>, view: View): void;
  /** Redirects to the first step, which gives the reason if the sign-in has expired. */
  restart(reason?: 'expired'): void | Promise<void>;
  complete(authentication: Authentication): Promise<void>;
}

export interface SecondStepOptions {
  accounts: Pick<Accounts, 'secondFactors' | 'factorChanges' | 'recordSecondFactorRequest'>;
  cookies: FactorCookies;
  pending: PendingSignIns;
  pages: Pages;
  /** Seconds since the epoch, rounded down. */
  nowSeconds: () => number;
}

/** Second step of a sign-in. */
export interface SecondStep {
  /**
   * Keeps a sign-in that needs a second factor, or the set-up of one. Resolves with `false` if it needs neither: then
   * the caller completes it; otherwise the caller redirects to the page of the place.
   */
  begin(
    ctx: Context,
    place: Pick<SecondStepPlace, 'id' | 'clientId'>,
    signIn: Authentication & SignInDemand,
  ): Promise<boolean>;
  show(ctx: Context, place: SecondStepPlace): Promise<void>;
  submit(ctx: Context, place: SecondStepPlace, form: URLSearchParams): Promise<void>;
}

export function createSecondStep(options: SecondStepOptions): SecondStep {
  const { accounts, cookies, pending, pages, nowSeconds } = options;
  const { secondFactors } = accounts;
  const codeStep = createCodeStep(options);
  const setUp = createSetUpStep(options);

  function findNeed(ctx: Context, signIn: Authentication & SignInDemand): Promise<SecondFactorNeed> {
    const browser = cookies.read(ctx);
    const seen = signIn.isAgain ? { ...browser, trustedSecrets: [] } : browser;
    return secondFactors.findNeed(signIn, seen, signIn.requiredAcr);
  }

  async function complete(ctx: Context, place: SecondStepPlace, signIn: PendingSignIn): Promise<void> {
    if (!(await pending.redeem(ctx, signIn))) return place.restart();
    const { account, methods, loginTs, upstream } = signIn;
    await place.complete({ account, methods, loginTs, upstream });
  }

  async function show(ctx: Context, place: SecondStepPlace, signIn: PendingSignIn): Promise<void> {
    const need = await findNeed(ctx, signIn);
    if (need === 'code') return codeStep.show(place, signIn);
    if (need === 'passkey')
      return place.render(pages.renderPasskeyNeeded, { application: place.application, links: place.links });
    if (need === 'enrolment' || need === 'offer') return setUp.show(place, signIn, { need });
    return complete(ctx, place, signIn);
  }

  return {
    async begin(ctx, { id, clientId }, signIn) {
      const need = await findNeed(ctx, signIn);
      if (need === 'nothing' || need === 'trusted') return false;
      await accounts.recordSecondFactorRequest(signIn.account, originOf(ctx, clientId));
      pending.keep(ctx, id, signIn);
      return true;
    },
    async show(ctx, place) {
      const signIn = await pending.find(ctx, place.id);
      return !signIn || signIn === 'expired' ? place.restart(signIn) : show(ctx, place, signIn);
    },
    async submit(ctx, place, form) {
      const signIn = await pending.find(ctx, place.id);
      if (!signIn || signIn === 'expired') return place.restart(signIn);
      const need = await findNeed(ctx, signIn);
      if (need === 'code') {
        const passed = await codeStep.submit(ctx, place, signIn, form);
        // Only a code authenticates the user again; an app that was just set up, or was postponed, does not.
        return passed && complete(ctx, place, { ...passed, loginTs: nowSeconds() });
      }
      if (need === 'offer' && form.has('later')) return complete(ctx, place, signIn);
      if (need === 'enrolment' || need === 'offer') return setUp.submit(ctx, place, signIn, { form, need });
      return show(ctx, place, signIn);
    },
  };
}
