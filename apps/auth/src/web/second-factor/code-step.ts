import type { Context } from 'koa';
import type { TypedCode } from '../../accounts/factors/second-factors.ts';
import { TRUST_DAYS } from '../../accounts/factors/trusted-devices.ts';
import type { SecondFactorView } from '../../pages/views/factors.ts';
import { describeDevice } from '../../values/device.ts';
import { toRateLimitProblem } from '../kit/forms/credentials-form.ts';
import { originOf } from '../kit/origin.ts';
import type { PendingSignIn } from './pending-sign-ins.ts';
import type { SecondStepOptions, SecondStepPlace } from './second-step.ts';

type Problems = SecondFactorView['form']['problems'];

/** Creates the page that asks for a code of the authenticator app or a recovery code. */
export function createCodeStep({ accounts, cookies, pages }: SecondStepOptions) {
  const { secondFactors } = accounts;

  function show(place: SecondStepPlace, { account }: PendingSignIn, problems?: Problems): void {
    place.render(pages.renderSecondFactor, {
      form: { ...place.form, problems },
      email: account.email,
      application: place.application,
      trustDays: TRUST_DAYS,
      links: place.links,
    });
  }

  return {
    show,
    /** Resolves with the sign-in and the methods of the code; otherwise it has shown the page again. */
    async submit(
      ctx: Context,
      place: SecondStepPlace,
      signIn: PendingSignIn,
      form: URLSearchParams,
    ): Promise<PendingSignIn | undefined> {
      const typed = readCode(ctx, form);
      const reject = (status: number, ...problems: NonNullable<Problems>): undefined => {
        ctx.status = status;
        show(place, signIn, problems);
      };
      const missing = findMissing(typed);
      if (missing) return reject(400, missing);
      try {
        const origin = originOf(ctx, place.clientId);
        const passed = await secondFactors.check(signIn.account, typed, cookies.read(ctx), origin);
        if (!passed) return reject(400, toWrongCode(typed));
        cookies.store(ctx, passed);
        return { ...signIn, methods: [...new Set([...signIn.methods, ...passed.methods])] };
      } catch (err) {
        return reject(429, toRateLimitProblem(err));
      }
    },
  };
}

function readCode(ctx: Context, form: URLSearchParams): TypedCode {
  const recoveryCode = form.get('recovery_code') ?? undefined;
  if (recoveryCode !== undefined) return { recoveryCode };
  const trustAs = form.has('trust_device') ? describeBrowser(ctx) : undefined;
  return { code: form.get('code') ?? '', trustAs };
}

function findMissing({ code, recoveryCode }: TypedCode) {
  if (recoveryCode !== undefined && recoveryCode.trim() === '')
    return { field: 'recovery_code', code: 'recovery_code_missing' } as const;
  if (recoveryCode === undefined && code?.trim() === '')
    return { field: 'code', code: 'code_missing' } as const;
  return undefined;
}

function toWrongCode({ recoveryCode }: TypedCode) {
  return recoveryCode === undefined
    ? ({ field: 'code', code: 'code_wrong' } as const)
    : ({ field: 'recovery_code', code: 'recovery_code_wrong' } as const);
}

function describeBrowser(ctx: Context): string {
  const { browser, system } = describeDevice(ctx.get('user-agent'));
  return [browser, system].filter(Boolean).join(', ');
}
