import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '@keydesk/server';
import type { Context } from 'koa';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { markOnce } from '../../artifacts/mark.ts';
import { cookiesBlocked } from './interaction.ts';
import { readForm } from './read-form.ts';

/** Rejects forms that were not sent from our pages (CSRF). */
export interface FormGuard {
  /** Returns the value of the field `csrf` of every form of the page. */
  tokenFor(ctx: Context): string;
  /**
   * Reads the posted form.
   *
   * @throws {AppError} `forbidden` with the code `form_expired` if it is not from a page that was sent to this browser or
   *   its sign-in was ended while the form was received, or `cookies_blocked` if the browser stored no cookie of that
   *   page
   */
  read(ctx: Context): Promise<URLSearchParams>;
  /** Checks a form right after it was received by another reader. @throws {AppError} as `read` */
  check(ctx: Context, form: URLSearchParams): Promise<void>;
  /**
   * Marks a form as used; resolves with whether this was its first use. Required for forms whose response is not a
   * redirect, because browsers post such a form again when the response is reloaded.
   */
  markUsed(form: URLSearchParams): Promise<boolean>;
}

interface FormGuardOptions {
  /** 32 bytes from `deriveKey`. */
  key: Uint8Array;
  holder: CsrfTokenHolder;
  holderIdOf: (ctx: Context) => string;
  /** Whether the holder still exists after the form was received, which may take long. Default: always. */
  isStillValid?: (ctx: Context) => Promise<boolean>;
  artifacts: Pick<ArtifactStore, 'insertOnce'>;
  now: () => Date;
}

/** Longer than any page stays open. */
const USED_FORM_TTL_MS = 365 * 86_400_000;

export function createFormGuard(options: FormGuardOptions): FormGuard {
  const { key, holder, holderIdOf, isStillValid, artifacts, now } = options;
  const tokens = createCsrfTokens(key, holder);

  async function check(ctx: Context, form: URLSearchParams): Promise<void> {
    if (ctx.get('cookie') === '') throw cookiesBlocked();
    if (!tokens.isTokenFor(holderIdOf(ctx), form.get('csrf') ?? '')) throw formExpired();
    if (isStillValid && !(await isStillValid(ctx))) throw formExpired();
  }

  return {
    tokenFor: (ctx) => tokens.tokenFor(holderIdOf(ctx)),
    async read(ctx) {
      const form = await readForm(ctx);
      await check(ctx, form);
      return form;
    },
    check,
    markUsed(form) {
      const at = now();
      const expiresAt = new Date(at.getTime() + USED_FORM_TTL_MS);
      return markOnce(artifacts, { model: 'UsedForm', id: form.get('csrf') ?? '', expiresAt }, at);
    },
  };
}

/**
 * Returns a function that reads or sets the id of a browser without a session.
 *
 * @param cookie name of the session cookie that stores it
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
  const message =
    'This form has expired or was not sent to this browser; reload the page and send the form again.';
  return new AppError('forbidden', message, { errors: [{ field: 'csrf', code: 'form_expired', message }] });
}

/** CSRF tokens: prove that a form was posted from one of our pages in the same browser (RFC 9700 §2.1). */
export interface CsrfTokens {
  /** Creates a token for the field `csrf`; each token of a holder is different. */
  tokenFor(holderId: string): string;
  isTokenFor(holderId: string, token: string): boolean;
}

/** The owner of a form's token, whose id only one browser has. */
type CsrfTokenHolder = 'interaction' | 'session' | 'browser';

const NONCE_BYTES = 16;

/**
 * Derives tokens from the id of the holder, which only one browser has in a cookie. So nothing is stored, and every
 * process accepts every token.
 *
 * @param key 32 bytes from `deriveKey`
 */
export function createCsrfTokens(key: Uint8Array, holder: CsrfTokenHolder): CsrfTokens {
  const withDigest = (nonce: Uint8Array, id: string) =>
    Buffer.concat([nonce, createHmac('sha256', key).update(nonce).update(`${holder} ${id}`).digest()]);

  return {
    tokenFor: (id) => withDigest(randomBytes(NONCE_BYTES), id).toString('base64url'),
    isTokenFor(id, token) {
      const presented = Buffer.from(token, 'base64url');
      const expected = withDigest(presented.subarray(0, NONCE_BYTES), id);
      return presented.length === expected.length && timingSafeEqual(presented, expected);
    },
  };
}
