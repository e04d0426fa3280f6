import type Router from '@koa/router';
import type Provider from 'oidc-provider';
import { type PageParts, paths } from './page-parts.ts';
import { requireSignedIn, signedInOf } from './signed-in.ts';

/** What people see of their own account. */
export function addAccountPage(router: Router, provider: Provider, parts: PageParts): void {
  router.get(paths.account, requireSignedIn(provider, parts), (ctx) => {
    const { account } = signedInOf(ctx);
    const { profile, email, emailVerified, role, createdAt, passwordChangedAt } = account;
    parts.write(ctx, parts.pages.renderAccount, {
      shell: parts.shellOf(ctx),
      account: {
        name: profile.name,
        email,
        isEmailVerified: emailVerified,
        role,
        createdAt,
        passwordChangedAt: passwordChangedAt ?? undefined,
      },
      notice: parts.notices.take(ctx),
      links: { changePassword: paths.changePassword, changeEmail: paths.changeEmail },
    });
  });
}
