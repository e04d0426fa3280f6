import { AppError } from '@keydesk/http';
import type { Context } from 'koa';
import type { Account } from '../accounts/account.ts';
import type { SignIn } from '../accounts/sign-in.ts';
import type { SignInView } from '../pages/views/sign-in.ts';
import { originOf } from './origin.ts';

export interface CredentialsFormOptions {
  accounts: SignIn;
  /** Seconds since the epoch, rounded down. */
  nowSeconds: () => number;
  /** Name of the cookie by which a device that somebody has signed in on is recognised. */
  deviceCookie: string;
}

/** Somebody who has shown who they are, at a time in seconds since the epoch. */
export interface Authenticated {
  account: Account;
  loginTs: number;
}

/** What the sign-in page tells instead. */
export interface Refused {
  account?: undefined;
  status: 400 | 429;
  problems: SignInView['form']['problems'];
}

/** The fields `email` and `password` of every sign-in page. */
export interface CredentialsForm {
  /** Checks them; the browser of who has signed in is remembered. @throws {AppError} `unavailable` */
  check(ctx: Context, form: URLSearchParams, clientId?: string): Promise<Authenticated | Refused>;
  rememberDevice(ctx: Context, deviceCookie: string): void;
  deviceOf(ctx: Context): string | undefined;
}

const ONE_YEAR_MS = 365 * 86_400_000;

export function createCredentialsForm(options: CredentialsFormOptions): CredentialsForm {
  const { accounts, nowSeconds } = options;

  function rememberDevice(ctx: Context, deviceCookie: string): void {
    const attributes = { httpOnly: true, sameSite: 'lax', signed: false, maxAge: ONE_YEAR_MS } as const;
    ctx.cookies.set(options.deviceCookie, deviceCookie, attributes);
  }

  const deviceOf = (ctx: Context) => ctx.cookies.get(options.deviceCookie, { signed: false });

  return {
    rememberDevice,
    deviceOf,
    async check(ctx, form, clientId) {
      const credentials = {
        email: form.get('email') ?? '',
        password: form.get('password') ?? '',
        deviceCookie: deviceOf(ctx),
      };
      const problems = findMissing(credentials);
      if (problems.length > 0) return { status: 400, problems };
      try {
        const signedIn = await accounts.authenticate(credentials, originOf(ctx, clientId));
        if (!signedIn) return { status: 400, problems: [{ code: 'credentials_invalid' }] };
        rememberDevice(ctx, signedIn.deviceCookie);
        return { account: signedIn.account, loginTs: nowSeconds() };
      } catch (err) {
        return { status: 429, problems: [tooManyAttempts(err)] };
      }
    },
  };
}

function findMissing({ email, password }: { email: string; password: string }) {
  return [
    ...(email.trim() === '' ? [{ field: 'email', code: 'email_missing' } as const] : []),
    ...(password === '' ? [{ field: 'password', code: 'password_missing' } as const] : []),
  ];
}

/** What too many attempts are told; every other failure is thrown on. */
export function tooManyAttempts(err: unknown) {
  if (!(err instanceof AppError) || err.code !== 'too_many_requests') throw err;
  return { code: 'too_many_attempts', values: { wait: Number(err.headers['Retry-After'] ?? 60) } } as const;
}
