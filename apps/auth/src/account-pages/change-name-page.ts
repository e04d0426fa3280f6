import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { originOf } from '../interactions/origin.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';
import { attempt, type Refusal } from './form-problems.ts';
import { paths } from './paths.ts';
import { requireSignedIn, signedInOf } from './signed-in.ts';

const required = { name: { code: 'name_missing' } } as const;

/** What people are called, by those who help them and in applications that may see it. */
export function addChangeNamePage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts, settings } = options;
  const { passwordMinLength } = settings;
  const signedIn = requireSignedIn(provider, parts);

  function show(ctx: Context, name?: string, refusal?: Refusal<'name'>): void {
    parts.write(ctx, parts.pages.renderChangeName, {
      shell: parts.shellOf(ctx),
      form: { action: paths.changeName, csrf: parts.forms.tokenFor(ctx), problems: refusal?.problems },
      name,
    });
  }

  router.get(paths.changeName, signedIn, (ctx) => show(ctx, signedInOf(ctx).account.profile.name));

  router.post(paths.changeName, signedIn, async (ctx) => {
    const form = await parts.forms.read(ctx);
    const name = form.get('name') ?? '';
    const change = { accountId: signedInOf(ctx).account.id, name };
    let code: 'name_changed' | 'name_changed_unverified' = 'name_changed';
    const action = async () => {
      const { isVerificationLost } = await accounts.changeName(change, originOf(ctx));
      if (isVerificationLost) code = 'name_changed_unverified';
    };
    const refusal = await attempt({ form, required, passwordMinLength, action });
    if (refusal) {
      ctx.status = refusal.status;
      return show(ctx, name, refusal);
    }
    parts.notices.leave(ctx, { code });
    parts.goTo(ctx, paths.account);
  });
}
