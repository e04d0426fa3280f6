import type { Context } from 'koa';

export interface OAuthError {
  status: number;
  error: string;
  description: string;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** Sends an error response as defined for the token endpoint (RFC 6749 §5.2). */
export function sendOAuthError(ctx: Context, { status, error, description, headers = {} }: OAuthError): void {
  ctx.state.errorCode = error;
  ctx.status = status;
  ctx.set({ ...headers, 'Cache-Control': 'no-store' });
  ctx.body = { error, error_description: description };
}
