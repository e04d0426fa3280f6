import type { Context } from 'koa';
import type { Sealer } from '../../../keys/sealing.ts';

export interface SealedCookieOptions {
  name: string;
  sealer: Sealer;
  ttlSeconds: number;
  now: () => Date;
}

/** Value that a browser keeps until a later request, encrypted and bound to the name of its cookie. */
export interface SealedCookie<Value> {
  set(ctx: Context, value: Value): void;
  /** Returns `undefined` if the browser has none, or an expired or altered one. */
  read(ctx: Context): Value | undefined;
  /** Reads and removes the value. */
  take(ctx: Context): Value | undefined;
  clear(ctx: Context): void;
}

/** Browsers limit a cookie to 4,096 bytes (RFC 6265 §6.1). */
const MAX_LENGTH = 4_000;

export function createSealedCookie<Value>(options: SealedCookieOptions): SealedCookie<Value> {
  const { name, sealer, ttlSeconds, now } = options;
  const attributes = { httpOnly: true, sameSite: 'lax', signed: false, overwrite: true } as const;

  function read(ctx: Context): Value | undefined {
    const text = ctx.cookies.get(name, { signed: false });
    if (!text || text.length > MAX_LENGTH) return undefined;
    const opened = open(text);
    return opened && opened.expiresAt > now().getTime() ? opened.value : undefined;
  }

  function open(text: string): { value: Value; expiresAt: number } | undefined {
    try {
      return JSON.parse(sealer.open(Buffer.from(text, 'base64url'), name).toString());
    } catch {
      // Sealed with another key, or altered.
      return undefined;
    }
  }

  const clear = (ctx: Context) => void ctx.cookies.set(name, null, attributes);

  return {
    set(ctx, value) {
      const content = JSON.stringify({ value, expiresAt: now().getTime() + ttlSeconds * 1000 });
      const sealed = Buffer.from(sealer.seal(Buffer.from(content), name)).toString('base64url');
      ctx.cookies.set(name, sealed, { ...attributes, maxAge: ttlSeconds * 1000 });
    },
    read,
    take(ctx) {
      const value = read(ctx);
      clear(ctx);
      return value;
    },
    clear,
  };
}
