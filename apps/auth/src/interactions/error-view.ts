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
  if (err instanceof AppError || err instanceof errors.OIDCProviderError) return err.status;
  return 500;
}

function variantOf(err: unknown): ErrorVariant {
  if (err instanceof errors.SessionNotFound) return 'interaction_expired';
  if (err instanceof errors.InvalidRedirectUri) return 'redirect_uri_mismatch';
  if (err instanceof errors.InvalidClient) return 'unknown_client';
  if (err instanceof errors.AccessDenied) return 'access_denied';
  if (err instanceof AppError && err.code === 'unavailable') return 'unavailable';
  if (err instanceof AppError && err.code === 'not_found') return 'not_found';
  return statusOf(err) < 500 ? 'invalid_request' : 'unexpected';
}

function retryAfterOf(err: unknown): number | undefined {
  const value = err instanceof AppError ? Number(err.headers['Retry-After']) : Number.NaN;
  return Number.isNaN(value) ? undefined : value;
}
