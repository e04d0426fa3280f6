import { AppError } from '@keydesk/server';
import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { SignUpRequest } from '../../../accounts/sign-in/sign-up.ts';
import { endSession } from '../../../provider/log-out/end-session.ts';
import { paths } from '../../kit/account-paths.ts';
import { type RejectedForm, submitForm } from '../../kit/forms/form-problems.ts';
import { parseLocalPath, withReturnTo } from '../../kit/local-path.ts';
import { originOf } from '../../kit/origin.ts';
import { signInPathFor } from '../../kit/pending-mail.ts';
import { presentationOf } from '../../kit/presentation.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

type Field = 'name' | 'email' | 'password';

const requiredWithPasskey = {
  name: { code: 'name_missing' },
  email: { code: 'email_missing' },
} as const;
const required = { ...requiredWithPasskey, password: { code: 'password_missing' } } as const;

/** Adds the sign-up page. Its response does not depend on whether the address already has an account. */
export function addSignUpPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts, settings, recent } = options;
  const { passwordMinLength } = settings;

  const requireOpen: Middleware = (_ctx, next) => {
    if (!accounts.isSignUpOpen)
      throw new AppError('not_found', 'Sign-up is closed; ask an administrator for an account.');
    return next();
  };

  async function show(ctx: Context, form?: URLSearchParams, rejected?: RejectedForm<Field>): Promise<void> {
    const returnTo = parseLocalPath(ctx.query.return_to);
    const uid = interactionIdOf(returnTo);
    const application = uid === undefined ? undefined : await recent.find(ctx, uid);
    parts.render(ctx, parts.pages.renderSignUp, {
      form: {
        action: withReturnTo(paths.signUp, returnTo),
        csrf: parts.publicForms.tokenFor(ctx),
        problems: rejected?.problems,
      },
      name: form?.get('name') ?? undefined,
      email: form?.get('email') ?? undefined,
      passwordMinLength,
      isPasskeyOffered: accounts.arePasskeysAvailable,
      application: application && { name: application.name },
      links: { signIn: signInPathFor(returnTo), cancel: application && `${returnTo}/cancel` },
    });
  }

  const isByPasskey = (form: URLSearchParams) =>
    accounts.arePasskeysAvailable && form.get('method') === 'passkey';

  function readRequest(ctx: Context, form: URLSearchParams): SignUpRequest {
    const textOf = (field: Field) => form.get(field) ?? '';
    const password = isByPasskey(form) ? undefined : textOf('password');
    const typed = { name: textOf('name'), email: textOf('email'), password };
    return { ...typed, locale: presentationOf(ctx).language };
  }

  router.get(paths.signUp, requireOpen, function showSignUp(ctx) {
    return show(ctx);
  });

  router.post(paths.signUp, requireOpen, async function signUp(ctx) {
    const form = await parts.publicForms.read(ctx);
    const request = readRequest(ctx, form);
    const validate = () => accounts.validate(request);
    const action = () => accounts.signUp(request, originOf(ctx));
    const submission = { form, passwordMinLength, validate, action };
    const rejected = await (isByPasskey(form)
      ? submitForm<'name' | 'email'>({ ...submission, required: requiredWithPasskey })
      : submitForm<Field>({ ...submission, required }));
    if (rejected) {
      ctx.status = rejected.status;
      return show(ctx, form, rejected);
    }
    await endCurrentSession(provider, ctx);
    const returnTo = parseLocalPath(ctx.query.return_to);
    parts.pendingMails.set(ctx, { purpose: 'sign_up', email: form.get('email') ?? '', returnTo });
    parts.redirect(ctx, paths.checkMail);
  });
}

/** Ends the session of another account, because the mailed link requires a sign-in to the new one. */
async function endCurrentSession(provider: Provider, ctx: Context): Promise<void> {
  const session = await provider.Session.get(ctx);
  if (session.accountId !== undefined) await endSession(provider, session);
}

/** Returns the id of the interaction that led to the sign-up. */
function interactionIdOf(returnTo: string | undefined): string | undefined {
  return /^\/interaction\/([\w-]+)$/.exec(returnTo ?? '')?.[1];
}
