import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { validateNewEmail } from '../accounts/email-changes.ts';
import { asString } from '../interactions/interaction.ts';
import { originOf } from '../interactions/origin.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';
import { attempt, type Refusal } from './form-problems.ts';
import { paths } from './paths.ts';
import { requireSignedIn, signedInOf } from './signed-in.ts';

type Field = 'email' | 'current_password';

const required = {
  email: { code: 'email_missing' },
  current_password: { code: 'password_missing' },
} as const;

/** Asking for another address. Whether it is somebody's already is told by mail only. */
export function addChangeEmailPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts, settings } = options;
  const { passwordMinLength } = settings;
  const signedIn = requireSignedIn(provider, parts);

  function show(ctx: Context, email?: string, refusal?: Refusal<Field>): void {
    parts.write(ctx, parts.pages.renderChangeEmail, {
      shell: parts.shellOf(ctx),
      form: { action: paths.changeEmail, csrf: parts.forms.tokenFor(ctx), problems: refusal?.problems },
      email,
    });
  }

  router.get(paths.changeEmail, signedIn, (ctx) => show(ctx));

  router.post(paths.changeEmail, signedIn, async (ctx) => {
    const form = await parts.forms.read(ctx);
    const newEmail = form.get('email') ?? '';
    const { account } = signedInOf(ctx);
    const change = { accountId: account.id, newEmail, currentPassword: form.get('current_password') ?? '' };
    const findFaults = () => validateNewEmail(newEmail, account.email);
    const action = () => accounts.requestEmailChange(change, originOf(ctx));
    const refusal = await attempt({ form, required, passwordMinLength, findFaults, action });
    if (refusal) {
      ctx.status = refusal.status;
      return show(ctx, newEmail, refusal);
    }
    parts.pendingMails.set(ctx, { purpose: 'email_change', email: newEmail });
    parts.goTo(ctx, paths.checkMail);
  });
}

/** Where the link in that mail leads, for who is signed in to the account that asked. */
export function addConfirmEmailPage(
  router: Router,
  provider: Provider,
  { parts, accounts }: AccountPagesOptions,
): void {
  const { pages, forms, pendingMails } = parts;
  const signedIn = requireSignedIn(provider, parts);

  router.get(paths.confirmEmail, signedIn, async (ctx) => {
    const token = asString(ctx.query.token) ?? '';
    const proof = { token, accountId: signedInOf(ctx).account.id };
    const { email } = await accounts.inspectEmailChange(proof);
    const form = { action: paths.confirmEmail, csrf: forms.tokenFor(ctx) };
    parts.write(ctx, pages.renderVerifyEmail, { form, email, token });
  });

  router.post(paths.confirmEmail, signedIn, async (ctx) => {
    const form = await forms.read(ctx);
    const proof = { token: form.get('token') ?? '', accountId: signedInOf(ctx).account.id };
    const { email } = await accounts.confirmEmailChange(proof, originOf(ctx));
    pendingMails.clear(ctx);
    parts.write(ctx, pages.renderEmailVerified, {
      outcome: 'verified',
      email,
      links: { goOn: paths.account },
    });
  });
}
