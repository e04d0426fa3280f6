import { AppError } from '@keydesk/http';
import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { SignUpRequest } from '../accounts/sign-up.ts';
import { originOf } from '../interactions/origin.ts';
import { presentationOf } from '../interactions/presentation.ts';
import { endSession } from '../provider/end-session.ts';
import type { AccountPagesOptions } from './account-pages-options.ts';
import { attempt, type Refusal } from './form-problems.ts';
import { parseLocalPath, withReturnTo } from './local-path.ts';
import { paths } from './paths.ts';
import { signInPathFor } from './pending-mail.ts';

type Field = 'name' | 'email' | 'password';

const required = {
  name: { code: 'name_missing' },
  email: { code: 'email_missing' },
  password: { code: 'password_missing' },
} as const;

/** Opening an account. What is answered does not depend on whether the address has one already. */
export function addSignUpPage(router: Router, provider: Provider, options: AccountPagesOptions): void {
  const { parts, accounts, settings, recent } = options;
  const { passwordMinLength } = settings;

  const requireOpen: Middleware = (_ctx, next) => {
    if (!accounts.isSignUpOpen)
      throw new AppError('not_found', 'Sign-up is closed; ask an administrator for an account.');
    return next();
  };

  async function show(ctx: Context, form?: URLSearchParams, refusal?: Refusal<Field>): Promise<void> {
    const returnTo = parseLocalPath(ctx.query.return_to);
    const uid = interactionIn(returnTo);
    const application = uid === undefined ? undefined : await recent.find(ctx, uid);
    parts.write(ctx, parts.pages.renderSignUp, {
      form: {
        action: withReturnTo(paths.signUp, returnTo),
        csrf: parts.openForms.tokenFor(ctx),
        problems: refusal?.problems,
      },
      name: form?.get('name') ?? undefined,
      email: form?.get('email') ?? undefined,
      passwordMinLength,
      application: application && { name: application.name },
      links: { signIn: signInPathFor(returnTo), cancel: application && `${returnTo}/cancel` },
    });
  }

  function readRequest(ctx: Context, form: URLSearchParams): SignUpRequest {
    const textOf = (field: Field) => form.get(field) ?? '';
    const typed = { name: textOf('name'), email: textOf('email'), password: textOf('password') };
    return { ...typed, locale: presentationOf(ctx).language };
  }

  router.get(paths.signUp, requireOpen, (ctx) => show(ctx));

  router.post(paths.signUp, requireOpen, async (ctx) => {
    const form = await parts.openForms.read(ctx);
    const request = readRequest(ctx, form);
    const findFaults = () => accounts.validate(request);
    const action = () => accounts.signUp(request, originOf(ctx));
    const refusal = await attempt({ form, required, passwordMinLength, findFaults, action });
    if (refusal) {
      ctx.status = refusal.status;
      return show(ctx, form, refusal);
    }
    await leaveAccount(provider, ctx);
    const returnTo = parseLocalPath(ctx.query.return_to);
    parts.pendingMails.set(ctx, { purpose: 'sign_up', email: form.get('email') ?? '', returnTo });
    parts.goTo(ctx, paths.checkMail);
  });
}

/** The link in the mail is for the new account alone, so nobody stays signed in to another one. */
async function leaveAccount(provider: Provider, ctx: Context): Promise<void> {
  const session = await provider.Session.get(ctx);
  if (session.accountId !== undefined) await endSession(provider, session);
}

/** The interaction that somebody signs up in the midst of. */
function interactionIn(returnTo: string | undefined): string | undefined {
  return /^\/interaction\/([\w-]+)$/.exec(returnTo ?? '')?.[1];
}
