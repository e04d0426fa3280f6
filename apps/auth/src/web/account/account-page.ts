import type Router from '@koa/router';
import type Provider from 'oidc-provider';
import { getSignedInUser, requireSignedIn } from '../kit/signed-in.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';
import { paths } from './paths.ts';

/** Adds the page that shows users their own account. */
export function addAccountPage(router: Router, provider: Provider, { parts }: AccountPagesOptions): void {
  router.get(paths.account, requireSignedIn(provider, parts), function showAccount(ctx) {
    const { account } = getSignedInUser(ctx);
    const { profile, email, emailVerified, role, createdAt, passwordChangedAt } = account;
    parts.render(ctx, parts.pages.renderAccount, {
      shell: parts.shellOf(ctx),
      account: {
        name: profile.name,
        email,
        isEmailVerified: emailVerified,
        role,
        createdAt,
        passwordChangedAt: passwordChangedAt ?? undefined,
      },
      notice: parts.flash.take(ctx),
      signOutEverywhere: { action: paths.signOutEverywhere, csrf: parts.forms.tokenFor(ctx) },
      links: {
        changeName: paths.changeName,
        changePassword: paths.changePassword,
        changeEmail: paths.changeEmail,
        verifyEmail: emailVerified ? undefined : paths.verification,
      },
    });
  });
}
