import { AppError, toErrorHeaders } from '@keydesk/server';
import type { Context, Middleware, Next } from 'koa';
import { errors } from 'oidc-provider';
import type { Pages } from '../../pages/pages.ts';
import type { ErrorAction, ErrorVariant, ErrorView, OAuthDetails } from '../../pages/views/error.ts';
import { setPageHeaders } from './page-headers.ts';
import { presentationOf } from './presentation.ts';

/** The application of a failed request. */
export interface RequestingApplication {
  name: string;
  homePage: string | null | undefined;
}

/** Finds the links that an error page offers to continue, such as one back to the application. */
export type FindErrorActions = (
  ctx: Context,
  variant: ErrorVariant,
  application?: RequestingApplication,
) => readonly ErrorAction[] | Promise<readonly ErrorAction[]>;

/** Creates a middleware that answers errors with a page. */
export function errorPages(pages: Pages, findActions: FindErrorActions = () => []): Middleware {
  return async function showErrors(ctx: Context, next: Next): Promise<void> {
    try {
      await next();
    } catch (err) {
      const status = statusOf(err);
      if (status >= 500) ctx.state.log?.error({ err }, 'request failed');
      ctx.state.errorCode = err instanceof AppError ? err.code : 'invalid_request';
      ctx.status = status;
      if (err instanceof AppError) ctx.set(toErrorHeaders(err));
      setPageHeaders(ctx);
      const view = toErrorView(err, ctx.state.requestId);
      const actions = await findActions(ctx, view.variant);
      ctx.body = pages.renderError({ ...view, actions }, presentationOf(ctx));
    }
  };
}

/** Converts an error to its page. A server error shows only its request id. */
export function toErrorView(err: unknown, requestId: string | undefined, oauth?: OAuthDetails): ErrorView {
  const variant = variantOf(err);
  return {
    variant,
    requestId,
    oauth: variant === 'unexpected' || variant === 'unavailable' ? undefined : oauth,
    retryAfterSeconds: err instanceof AppError ? err.retryAfterSeconds : undefined,
  };
}

export function statusOf(err: unknown): number {
  // 429 (RFC 6585 §4), because some browsers automatically resend a form after 421.
  if (err instanceof AppError && err.code === 'too_many_requests') return 429;
  if (err instanceof AppError || err instanceof errors.OIDCProviderError) return err.status;
  return 500;
}

/**
 * Variants by the code of a fault. `taken`: another account has the address of the link by now, and the link is redeemed;
 * `in_use`: the link stays valid.
 */
const variantOfFault: Readonly<Record<string, ErrorVariant>> = {
  link_invalid: 'invalid_link',
  taken: 'invalid_link',
  in_use: 'address_in_use',
  form_expired: 'form_expired',
  sign_in_ended: 'form_expired',
  cookies_blocked: 'cookies_blocked',
};

const variantOfCode: Readonly<Record<string, ErrorVariant>> = {
  forbidden: 'access_denied',
  not_found: 'not_found',
  too_many_requests: 'too_many_attempts',
  unavailable: 'unavailable',
  payload_too_large: 'too_large',
};

function variantOf(err: unknown): ErrorVariant {
  if (err instanceof errors.SessionNotFound) return 'interaction_expired';
  if (err instanceof errors.InvalidRedirectUri) return 'redirect_uri_mismatch';
  if (err instanceof errors.InvalidClient) return 'unknown_client';
  if (err instanceof errors.AccessDenied) return 'access_denied';
  if (err instanceof errors.UnmetAuthenticationRequirements) return 'sign_in_too_weak';
  const known = err instanceof AppError && (variantOfFault[faultOf(err) ?? ''] ?? variantOfCode[err.code]);
  return known || (statusOf(err) < 500 ? 'invalid_request' : 'unexpected');
}

/** Returns the code of the first fault. */
function faultOf({ errors: [fault] }: AppError): string | undefined {
  return fault?.code;
}
