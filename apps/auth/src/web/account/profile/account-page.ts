import type Router from '@koa/router';
import type Provider from 'oidc-provider';
import { paths } from '../../kit/account-paths.ts';
import { originOf } from '../../kit/origin.ts';
import { getSignedInUser, requireSignedIn } from '../../kit/signed-in.ts';
import { identityPaths } from '../../upstream/provider-buttons.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';

/** Adds the page that shows users their own account. */
export function addAccountPage(
  router: Router,
  provider: Provider,
  { parts, providerButtons }: AccountPagesOptions,
): void {
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
        // The form asks for the current one.
        changePassword: account.passwordHash === null ? paths.forgotPassword : paths.changePassword,
        changeEmail: paths.changeEmail,
        twoStep: paths.twoStep,
        passkeys: paths.passkeys,
        identities: providerButtons.list({}).length > 0 ? identityPaths.list : undefined,
        sessions: paths.sessions,
        downloadData: paths.downloadData,
        deleteAccount: paths.deleteAccount,
        verifyEmail: emailVerified ? undefined : paths.verification,
      },
    });
  });
}

/** Adds the form of the account page that ends every session, including that of this browser. */
export function addSignOutEverywhereForm(
  router: Router,
  provider: Provider,
  { parts, accounts }: AccountPagesOptions,
): void {
  router.post(
    paths.signOutEverywhere,
    requireSignedIn(provider, parts),
    async function signOutEverywhere(ctx) {
      await parts.forms.read(ctx);
      await accounts.signOutEverywhere(getSignedInUser(ctx).account.id, originOf(ctx));
      parts.flash.set(ctx, { code: 'signed_out_everywhere' });
      parts.redirect(ctx, paths.signIn);
    },
  );
}
