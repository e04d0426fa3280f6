import type { Context } from 'koa';

/** Value that a browser passes to later pages in a signed cookie. */
export interface SignedCookie<Value> {
  set(ctx: Context, value: Value): void;
  get(ctx: Context): Value | undefined;
  clear(ctx: Context): void;
}

export function createSignedCookie<Value>(name: string, maxAgeMs: number): SignedCookie<Value> {
  const attributes = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const;
  return {
    set(ctx, value) {
      const text = Buffer.from(JSON.stringify(value)).toString('base64url');
      ctx.cookies.set(name, text, { ...attributes, maxAge: maxAgeMs });
    },
    get(ctx) {
      const text = ctx.cookies.get(name, { signed: true });
      return text ? (JSON.parse(Buffer.from(text, 'base64url').toString()) as Value) : undefined;
    },
    clear: (ctx) => void ctx.cookies.set(name, null, attributes),
  };
}
