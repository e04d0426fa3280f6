import { AppError, type Metrics, toErrorHeaders } from '@keydesk/server';
import type Koa from 'koa';
import type Provider from 'oidc-provider';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import type { Logger } from 'pino';
import { findDeepInputFault } from '../deep-input.ts';
import { isPageRoute } from '../provider-pages.ts';
import { type OAuthError, sendOAuthError } from '../responses/oauth-error.ts';

export interface TokenEventsOptions {
  log: Logger;
  metrics?: Metrics | undefined;
}

/** Logs and counts events of oidc-provider, and sends its server errors to the client. */
export function createTokenEvents({ log, metrics }: TokenEventsOptions) {
  const issued = metrics?.counter('auth_tokens_issued_total', 'Access tokens issued', ['grant_type']);
  const refused = metrics?.counter('auth_token_requests_refused_total', 'Token requests refused', ['error']);

  function tokenIssued({ oidc, state }: KoaContextWithOIDC): void {
    const { grant_type, resource } = oidc.params ?? {};
    const { ClientCredentials: own, AccessToken: token = own } = oidc.entities;
    state.caller = { clientId: oidc.client?.clientId, subject: oidc.account?.accountId };
    // The identifier of a JWT (RFC 7519 §4.1.7) is safe to log; that of an opaque token is the token itself.
    const jti = token?.format === 'jwt' ? token.jti : undefined;
    state.logged = { event: 'token.issued', grant_type, scope: token?.scope, resource, jti };
    issued?.inc({ grant_type: String(grant_type) });
  }

  function tokenRefused(ctx: KoaContextWithOIDC, err: errors.OIDCProviderError): void {
    logRejection(ctx, err, 'token.refused');
    refused?.inc({ error: err.error });
  }

  return {
    attachTo(provider: Provider): void {
      provider.on('grant.success', tokenIssued);
      provider.on('grant.error', tokenRefused);
      provider.on('pushed_authorization_request.error', (ctx, err) =>
        logRejection(ctx, err, 'authorization_request.refused'),
      );
      provider.on('server_error', sendServerError);
      // Errors after Koa has responded, mostly because a client reset its connection or sent malformed HTTP. Without a
      // listener Koa would write to standard error.
      const app: Koa = provider;
      app.on('error', (err: Error, { req }: Koa.Context) =>
        log[err === req.socket?.errored ? 'info' : 'error']({ err }, 'response failed'),
      );
    },
  };
}

function logRejection(
  { oidc, state }: KoaContextWithOIDC,
  { error, error_detail: detail }: errors.OIDCProviderError,
  rejectionEvent: string,
): void {
  const event = error === 'invalid_client' ? 'client.authentication_failed' : rejectionEvent;
  // Only for existing clients: an unknown `client_id` may be anything, even a secret.
  state.logged = { event, client_id: oidc.client?.clientId, detail };
  state.errorCode = error;
}

/**
 * Sends a server error without details and logs it with its stack. A database failure does not invalidate the request,
 * so the response says when to retry (with a code of RFC 6749 §4.1.2.1).
 */
function sendServerError(ctx: KoaContextWithOIDC, err: Error): void {
  const fault = findDeepInputFault(ctx, err);
  if (!fault) ctx.state.log.error({ err }, 'request failed');
  // A page was rendered already (`renderError`), or the error redirects to the client.
  if (isPageRoute(ctx)) return;
  sendOAuthError(ctx, fault ? toOAuthError(fault) : toServerError(err));
}

function toOAuthError({ status, error, error_description }: errors.OIDCProviderError): OAuthError {
  return { status, error, description: error_description ?? error };
}

function toServerError(err: Error): OAuthError {
  const isUnavailable = err instanceof AppError && err.code === 'unavailable';
  return isUnavailable
    ? {
        status: 503,
        error: 'temporarily_unavailable',
        description: err.message,
        headers: toErrorHeaders(err),
      }
    : {
        status: 500,
        error: 'server_error',
        description: 'The failure has been logged under the request id.',
      };
}
