import { AppError } from '@keydesk/http';
import { errors } from 'oidc-provider';
import type { ErrorVariant, ErrorView } from '../pages/views/error.ts';

/** What an OAuth error is made of, for whoever makes the application. */
type OAuthDetails = ErrorView['oauth'];

/** What a person is told about a failure: what happened, and never more of our own fault than its request id. */
export function toErrorView(err: unknown, requestId: string | undefined, oauth?: OAuthDetails): ErrorView {
  const variant = variantOf(err);
  return {
    variant,
    requestId,
    oauth: variant === 'unexpected' || variant === 'unavailable' ? undefined : oauth,
    retryAfterSeconds: retryAfterOf(err),
  };
}

export function statusOf(err: unknown): number {
  // Browsers know 429 (RFC 6585 §4); 421 would make some send the form once more by themselves.
  if (err instanceof AppError && err.code === 'too_many_requests') return 429;
  if (err instanceof AppError || err instanceof errors.OIDCProviderError) return err.status;
  return 500;
}

function variantOf(err: unknown): ErrorVariant {
  const fault = faultOf(err);
  if (fault === 'link_invalid') return 'invalid_link';
  if (fault === 'form_expired') return 'form_expired';
  if (err instanceof errors.SessionNotFound) return 'interaction_expired';
  if (err instanceof errors.InvalidRedirectUri) return 'redirect_uri_mismatch';
  if (err instanceof errors.InvalidClient) return 'unknown_client';
  if (err instanceof errors.AccessDenied) return 'access_denied';
  if (err instanceof AppError && err.code === 'forbidden') return 'access_denied';
  if (err instanceof AppError && err.code === 'too_many_requests') return 'too_many_attempts';
  if (err instanceof AppError && err.code === 'unavailable') return 'unavailable';
  if (err instanceof AppError && err.code === 'not_found') return 'not_found';
  return statusOf(err) < 500 ? 'invalid_request' : 'unexpected';
}

/** The code of what was wrong, when it was one thing. */
export function faultOf(err: unknown): string | undefined {
  return err instanceof AppError ? err.errors[0]?.code : undefined;
}

function retryAfterOf(err: unknown): number | undefined {
  const value = err instanceof AppError ? Number(err.headers['Retry-After']) : Number.NaN;
  return Number.isNaN(value) ? undefined : value;
}
