import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { paths } from '../../kit/account-paths.ts';
import { parseLocalPath, withReturnTo } from '../../kit/local-path.ts';
import type { SecondStepPlace } from '../../second-factor/second-step.ts';
import { ACCOUNT_PLACE } from '../../second-factor/sign-in-completion.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

/** Adds the second step of sign-ins to the account pages and the developer portal. */
export function addSecondFactorPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, secondStep, completion } = options;

  function placeOf(ctx: Context): SecondStepPlace {
    const returnTo = parseLocalPath(ctx.query.return_to);
    const signIn = withReturnTo(paths.signIn, returnTo);
    return {
      id: ACCOUNT_PLACE,
      form: { action: withReturnTo(paths.secondFactor, returnTo), csrf: parts.publicForms.tokenFor(ctx) },
      links: { signIn },
      render: (render, view) => parts.render(ctx, render, view),
      async restart(reason) {
        if (reason) await completion.noteExpiry(provider, ctx);
        parts.redirect(ctx, signIn);
      },
      complete: (authentication) => completion.open(provider, ctx, authentication, { returnTo }),
    };
  }

  router.get(paths.secondFactor, function showSecondFactor(ctx) {
    return secondStep.show(ctx, placeOf(ctx));
  });

  router.post(paths.secondFactor, async function submitSecondFactor(ctx) {
    const form = await parts.publicForms.read(ctx);
    await secondStep.submit(ctx, placeOf(ctx), form);
  });
}
