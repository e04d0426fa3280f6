import { randomBytes } from 'node:crypto';
import { AppError } from '@keydesk/http';
import type { Context } from 'koa';
import { type CsrfTokenHolder, createCsrfTokens } from '../interactions/csrf-tokens.ts';
import { cookiesBlocked } from '../interactions/interaction.ts';
import { readForm } from '../interactions/read-form.ts';
import { artifactKeyOf } from '../provider/artifact-key.ts';
import type { ArtifactStore } from '../provider/artifact-store.ts';

/** Keeps forms that are not from our pages out (CSRF). */
export interface FormGuard {
  /** The field `csrf` of every form of the page. */
  tokenFor(ctx: Context): string;
  /**
   * Reads the form that was posted.
   *
   * @throws {AppError} `forbidden` with the code `form_expired` when it is not from a page that this browser was given,
   *   or `cookies_blocked` when the browser kept no cookie of that page
   */
  read(ctx: Context): Promise<URLSearchParams>;
  /** Checks a form that was read by other means. @throws {AppError} as `read` does */
  check(ctx: Context, form: URLSearchParams): void;
  /**
   * Whether a form that was read is used for the first time. What answers with more than a redirect asks this before it
   * does anything: browsers send such a form again when its answer is loaded again.
   */
  useUp(form: URLSearchParams): Promise<boolean>;
}

export interface FormGuardOptions {
  /** 32 bytes, as `deriveKey` gives them. */
  key: Uint8Array;
  holder: CsrfTokenHolder;
  holderIdOf: (ctx: Context) => string;
  artifacts: Pick<ArtifactStore, 'insertOnce'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/** Longer than anybody leaves a page open. */
const REMEMBERED_MS = 365 * 86_400_000;

export function createFormGuard(options: FormGuardOptions): FormGuard {
  const { key, holder, holderIdOf, artifacts, clock } = options;
  const tokens = createCsrfTokens(key, holder);

  function check(ctx: Context, form: URLSearchParams): void {
    if (ctx.get('cookie') === '') throw cookiesBlocked();
    if (!tokens.isTokenFor(holderIdOf(ctx), form.get('csrf') ?? '')) throw formExpired();
  }

  return {
    tokenFor: (ctx) => tokens.tokenFor(holderIdOf(ctx)),
    async read(ctx) {
      const form = await readForm(ctx);
      check(ctx, form);
      return form;
    },
    check,
    useUp(form) {
      const now = clock();
      const used = {
        model: 'UsedForm',
        key: artifactKeyOf(form.get('csrf') ?? ''),
        payload: new Uint8Array(),
      };
      return artifacts.insertOnce({ ...used, expiresAt: new Date(now + REMEMBERED_MS) }, new Date(now));
    },
  };
}

/**
 * The id of the browser that somebody uses who is not signed in.
 *
 * @param cookie name of the cookie that it is kept in until the browser is closed
 */
export function createBrowserIds(cookie: string): (ctx: Context) => string {
  return function browserIdOf(ctx) {
    const known = ctx.state.browserId ?? ctx.cookies.get(cookie, { signed: false });
    const id: string = known || randomBytes(16).toString('base64url');
    if (!known) ctx.cookies.set(cookie, id, { httpOnly: true, sameSite: 'lax', signed: false });
    ctx.state.browserId = id;
    return id;
  };
}

function formExpired(): AppError {
  const message = 'This form was not sent from a page that this browser was given, or too late.';
  return new AppError('forbidden', message, { errors: [{ field: 'csrf', code: 'form_expired', message }] });
}
