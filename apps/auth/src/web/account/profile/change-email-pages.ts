import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import { validateNewEmail } from '../../../accounts/changes/email-changes.ts';
import { paths } from '../../kit/account-paths.ts';
import { type RejectedForm, submitForm } from '../../kit/forms/form-problems.ts';
import { asString } from '../../kit/interaction.ts';
import { originOf } from '../../kit/origin.ts';
import { getSignedInUser, requireFreshFactor, requireSignedIn } from '../../kit/signed-in.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';

type Field = 'email' | 'current_password';

const emailRequired = { email: { code: 'email_missing' } } as const;
const required = { ...emailRequired, current_password: { code: 'password_missing' } } as const;

function hasPassword(ctx: Context): boolean {
  return getSignedInUser(ctx).account.passwordHash !== null;
}

/** Adds the form that requests another address. Only a mail discloses whether it belongs to another account. */
export function addChangeEmailPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts, settings } = options;
  const { passwordMinLength } = settings;
  const signedIn = requireSignedIn(provider, parts);

  function show(ctx: Context, email?: string, rejected?: RejectedForm<Field>): void {
    parts.render(ctx, parts.pages.renderChangeEmail, {
      shell: parts.shellOf(ctx),
      form: { action: paths.changeEmail, csrf: parts.forms.tokenFor(ctx), problems: rejected?.problems },
      hasPassword: hasPassword(ctx),
      email,
    });
  }

  router.get(paths.changeEmail, signedIn, requireFreshFactor, function showChangeEmail(ctx) {
    show(ctx);
  });

  router.post(paths.changeEmail, signedIn, requireFreshFactor, async function changeEmail(ctx) {
    const form = await parts.forms.read(ctx);
    const newEmail = form.get('email') ?? '';
    const { account } = getSignedInUser(ctx);
    const change = { accountId: account.id, newEmail, currentPassword: form.get('current_password') ?? '' };
    const validate = () => validateNewEmail(newEmail, account.email);
    const action = () => accounts.requestEmailChange(change, originOf(ctx));
    const submission = { form, passwordMinLength, validate, action };
    const rejected = await (hasPassword(ctx)
      ? submitForm<Field>({ ...submission, required })
      : submitForm<'email'>({ ...submission, required: emailRequired }));
    if (rejected) {
      ctx.status = rejected.status;
      return show(ctx, newEmail, rejected);
    }
    parts.pendingMails.set(ctx, { purpose: 'email_change', email: newEmail });
    parts.redirect(ctx, paths.checkMail);
  });
}

/** Adds the page that the mailed link opens. It requires a sign-in to the account that requested the change. */
export function addConfirmEmailPage(
  router: Router,
  provider: Provider,
  { parts, accounts }: AccountPagesOptions,
): void {
  const { pages, forms, pendingMails } = parts;
  const signedIn = requireSignedIn(provider, parts);

  router.get(paths.confirmEmail, signedIn, async function showConfirmEmail(ctx) {
    const token = asString(ctx.query.token) ?? '';
    const proof = { token, accountId: getSignedInUser(ctx).account.id };
    const { email } = await accounts.inspectEmailChange(proof);
    const form = { action: paths.confirmEmail, csrf: forms.tokenFor(ctx) };
    parts.render(ctx, pages.renderVerifyEmail, { form, email, token });
  });

  router.post(paths.confirmEmail, signedIn, async function confirmEmail(ctx) {
    const form = await forms.read(ctx);
    const { account, session } = getSignedInUser(ctx);
    const { id: accountId, credentialEpoch } = account;
    const signedInAt = new Date((session.loginTs ?? 0) * 1_000);
    const proof = { token: form.get('token') ?? '', accountId, credentialEpoch, signedInAt };
    const { email } = await accounts.confirmEmailChange(proof, originOf(ctx));
    pendingMails.clear(ctx);
    parts.render(ctx, pages.renderEmailVerified, {
      outcome: 'verified',
      email,
      links: { goOn: paths.account },
    });
  });
}
