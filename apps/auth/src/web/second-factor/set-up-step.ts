import type { Context } from 'koa';
import type { Account } from '../../accounts/account/account.ts';
import type { FactorChangeCases } from '../../accounts/factors/factor-changes.ts';
import { toQrCode } from '../../pages/qr-code.ts';
import type { SetUpTotpView } from '../../pages/views/factors.ts';
import { originOf } from '../kit/origin.ts';
import type { PendingSignIn } from './pending-sign-ins.ts';
import type { SecondStepOptions, SecondStepPlace } from './second-step.ts';

type Need = 'enrolment' | 'offer';
type Rejected = Pick<SetUpTotpView, 'sealed'> & { problems: SetUpTotpView['form']['problems'] };

/** Creates the set-up of an authenticator app during a sign-in. */
export function createSetUpStep({ accounts, pending, pages }: SecondStepOptions) {
  const { secondFactors, factorChanges } = accounts;

  async function show(
    place: SecondStepPlace,
    { account }: PendingSignIn,
    { need, rejected }: { need: Need; rejected?: Rejected },
  ): Promise<void> {
    const later = need === 'offer' ? { until: await secondFactors.startGrace(account.id) } : undefined;
    place.render(pages.renderSetUpTotp, {
      ...offerTo(account, factorChanges, rejected?.sealed),
      form: { ...place.form, problems: rejected?.problems },
      application: place.application,
      purpose: later ? 'offered' : 'required',
      later,
      links: { cancel: place.links.cancel ?? place.links.signIn },
    });
  }

  return {
    show,
    async submit(
      ctx: Context,
      place: SecondStepPlace,
      signIn: PendingSignIn,
      { form, need }: { form: URLSearchParams; need: Need },
    ): Promise<void> {
      const { account, methods } = signIn;
      const setUp = readSetUp(form);
      const codes = await factorChanges.setUpTotp(account, setUp, originOf(ctx, place.clientId));
      if (!codes || codes === 'repeated') {
        ctx.status = 400;
        const rejected = { sealed: setUp.sealed, problems: [toSetUpProblem(setUp)] };
        return show(place, signIn, { need, rejected });
      }
      pending.keep(ctx, place.id, { ...signIn, methods: [...methods, 'otp', 'mfa'] });
      place.render(pages.renderRecoveryCodes, { codes, email: account.email, goOn: place.form });
    },
  };
}

/** Returns the part of the set-up page that shows the secret. */
export function offerTo(
  account: Account,
  factorChanges: Pick<FactorChangeCases, 'offerTotp'>,
  earlier?: string,
): Pick<SetUpTotpView, 'secret' | 'uri' | 'qrCode' | 'sealed'> {
  const { secret, uri, sealed } = factorChanges.offerTotp(account, earlier);
  return { secret, uri, qrCode: toQrCode(uri), sealed };
}

export function readSetUp(form: URLSearchParams): { sealed: string; code: string } {
  return { sealed: form.get('sealed') ?? '', code: form.get('code') ?? '' };
}

export function toSetUpProblem({ code }: { code: string }) {
  return { field: 'code', code: code.trim() === '' ? 'code_missing' : 'code_wrong' } as const;
}
