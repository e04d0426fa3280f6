import { AppError } from '@keydesk/http';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import type { SignedIn, SignIn } from '../accounts/sign-in.ts';
import type { SignInView } from '../pages/views/sign-in.ts';
import { finish, getClient, type Interaction, leaveSession, textOf } from './interaction.ts';
import type { InteractionPages } from './interaction-pages.ts';

export interface SignInStepOptions {
  accounts: SignIn;
  pages: InteractionPages;
  /** Seconds since the epoch, rounded down. */
  nowSeconds: () => number;
  deviceCookie: string;
}

type Problems = SignInView['form']['problems'];

/** Signing in on the way to a client. */
export interface SignInStep {
  show(provider: Provider, ctx: Context, interaction: Interaction, email?: string): Promise<void>;
  submit(provider: Provider, ctx: Context, interaction: Interaction, form: URLSearchParams): Promise<void>;
}

const ONE_YEAR_MS = 365 * 86_400_000;

export function createSignInStep({
  accounts,
  pages,
  nowSeconds,
  deviceCookie,
}: SignInStepOptions): SignInStep {
  async function authenticate(ctx: Context, form: URLSearchParams, clientId: string) {
    const origin = { address: ctx.ip, requestId: ctx.state.requestId, clientId };
    const credentials = {
      email: form.get('email') ?? '',
      password: form.get('password') ?? '',
      deviceCookie: ctx.cookies.get(deviceCookie, { signed: false }),
    };
    return accounts.authenticate(credentials, origin);
  }

  function rememberDevice(ctx: Context, { deviceCookie: value }: SignedIn): void {
    const options = { httpOnly: true, sameSite: 'lax', signed: false, maxAge: ONE_YEAR_MS } as const;
    ctx.cookies.set(deviceCookie, value, options);
  }

  return {
    async show(provider, ctx, interaction, email) {
      const hint = email ?? textOf(interaction.params.login_hint);
      const client = await getClient(provider, interaction);
      pages.writeSignIn(ctx, { interaction, client, email: hint });
    },
    async submit(provider, ctx, interaction, form) {
      const client = await getClient(provider, interaction);
      const email = form.get('email') ?? '';
      // Before the password is looked at: one that is changed meanwhile has ended this sign-in too.
      const ts = nowSeconds();
      try {
        const signedIn = await authenticate(ctx, form, client.clientId);
        if (signedIn) {
          const { id: accountId } = signedIn.account;
          rememberDevice(ctx, signedIn);
          if (interaction.session && interaction.session.accountId !== accountId)
            await leaveSession(provider, interaction);
          const login = { accountId, ts, amr: ['pwd'] };
          return finish(provider, ctx, { login }, { mergeWithLastSubmission: false });
        }
        ctx.status = 400;
        pages.writeSignIn(ctx, { interaction, client, email, problems: [{ code: 'credentials_invalid' }] });
      } catch (err) {
        const problems = problemsOf(err);
        ctx.status = 429;
        pages.writeSignIn(ctx, { interaction, client, email, problems });
      }
    },
  };
}

/** What too many attempts are told; every other failure is thrown on. */
function problemsOf(err: unknown): Problems {
  if (!(err instanceof AppError) || err.code !== 'too_many_requests') throw err;
  return [{ code: 'too_many_attempts', values: { wait: Number(err.headers['Retry-After'] ?? 60) } }];
}
