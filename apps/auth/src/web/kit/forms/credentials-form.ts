import { AppError } from '@keydesk/server';
import type { Context } from 'koa';
import type { Account } from '../../../accounts/account/account.ts';
import type { Authentication } from '../../../accounts/account/authentication.ts';
import type { PasskeySignIn } from '../../../accounts/passkeys/passkey-sign-in.ts';
import type { NewDeviceNotices } from '../../../accounts/sessions/new-device-notices.ts';
import type { SignIn } from '../../../accounts/sign-in/sign-in.ts';
import type { SignInView } from '../../../pages/views/sign-in.ts';
import { describeDevice } from '../../../values/device.ts';
import { originOf } from '../origin.ts';
import { presentationOf } from '../presentation.ts';

export interface CredentialsFormOptions {
  accounts: NewDeviceNotices & SignIn & Pick<PasskeySignIn, 'authenticateWithPasskey'>;
  /** Seconds since the epoch, rounded down. */
  nowSeconds: () => number;
  /** Name of the cookie that identifies a device on which a user has signed in. */
  deviceCookie: string;
}

/** A failed authentication with the problems that the page shows. */
export interface RejectedCredentials {
  account?: undefined;
  status: 400 | 429;
  problems: SignInView['form']['problems'];
}

/** The fields `email` and `password`, or `passkey`, of every sign-in page. The caller has checked the field `csrf`. */
export interface CredentialsForm {
  /** Checks the credentials; on success sets the device cookie. @throws {AppError} `unavailable` */
  check(
    ctx: Context,
    form: URLSearchParams,
    clientId?: string,
  ): Promise<Authentication | RejectedCredentials>;
  rememberDevice(ctx: Context, deviceCookie: string): void;
  /** Keeps a known device known in a browser that keeps its session while all others end. */
  keepDevice(ctx: Context, change: { before: Account; after: Account }): void;
  /** Notifies the owner of a sign-in at another provider if the device is new, and remembers it. */
  greetDevice(ctx: Context, account: Account): void;
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

  /** Checks the response of WebAuthn, which the browser made for this very form. */
  async function checkPasskey(ctx: Context, form: URLSearchParams, clientId?: string) {
    const assertion = {
      response: form.get('passkey') ?? '',
      formToken: form.get('csrf') ?? '',
      deviceCookie: deviceOf(ctx),
    };
    const result = await accounts.authenticateWithPasskey(assertion, originOf(ctx, clientId));
    if (result.outcome !== 'signed_in')
      return { status: 400, problems: [{ code: `passkey_${result.outcome}` }] } as const;
    greetDevice(ctx, result.account);
    return { account: result.account, methods: result.methods, loginTs: nowSeconds() };
  }

  /** Notifies the owner if the device is new, and remembers it. */
  function greetDevice(ctx: Context, account: Account): void {
    const device = describeDevice(ctx.get('user-agent'));
    const signIn = { device, deviceCookie: deviceOf(ctx), locale: presentationOf(ctx).language };
    accounts.notifyOfNewDevice(account, signIn, originOf(ctx));
    rememberDevice(ctx, accounts.rememberDevice(account, signIn.deviceCookie));
  }

  return {
    rememberDevice,
    keepDevice(ctx, { before, after }) {
      const kept = accounts.keepDevice(before, after, deviceOf(ctx));
      if (kept !== undefined) rememberDevice(ctx, kept);
    },
    greetDevice,
    deviceOf,
    async check(ctx, form, clientId) {
      if (form.has('passkey')) return withRateLimit(() => checkPasskey(ctx, form, clientId));
      const credentials = {
        email: form.get('email') ?? '',
        password: form.get('password') ?? '',
        deviceCookie: deviceOf(ctx),
      };
      const problems = findMissing(credentials);
      if (problems.length > 0) return { status: 400, problems };
      return withRateLimit(async () => {
        const signedIn = await accounts.authenticate(credentials, originOf(ctx, clientId));
        if (!signedIn) return { status: 400, problems: [{ code: 'credentials_invalid' }] };
        greetDevice(ctx, signedIn.account);
        return { account: signedIn.account, methods: ['pwd'], loginTs: nowSeconds() };
      });
    },
  };
}

type Checked = Authentication | RejectedCredentials;

async function withRateLimit(check: () => Promise<Checked>): Promise<Checked> {
  try {
    return await check();
  } catch (err) {
    return { status: 429, problems: [toRateLimitProblem(err)] };
  }
}

function findMissing({ email, password }: { email: string; password: string }) {
  return [
    ...(email.trim() === '' ? [{ field: 'email', code: 'email_missing' } as const] : []),
    ...(password === '' ? [{ field: 'password', code: 'password_missing' } as const] : []),
  ];
}

/** Converts a rate limit error to a problem of the page; rethrows every other error. */
export function toRateLimitProblem(err: unknown) {
  if (!(err instanceof AppError) || err.code !== 'too_many_requests') throw err;
  return { code: 'too_many_attempts', values: { wait: err.retryAfterSeconds ?? 60 } } as const;
}
