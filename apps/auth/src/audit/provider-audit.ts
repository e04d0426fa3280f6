import type { Context, Middleware } from 'koa';
import Provider, { type errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { StoredArtifact } from '../artifacts/artifact-store.ts';
import type { Audit } from './audit.ts';
import type { AuditEvent, AuditEventType } from './audit-event.ts';

export interface ProviderAuditOptions {
  audit: Pick<Audit, 'record'>;
  now: () => Date;
}

export type ProviderAudit = ReturnType<typeof createProviderAudit>;

/** Records events of oidc-provider in the audit log. */
export function createProviderAudit({ audit, now }: ProviderAuditOptions) {
  const { record, accessTokenRevoked, awaitRecords } = createRecorder({ audit, now });

  function tokenIssued(ctx: KoaContextWithOIDC): void {
    const { params, entities } = ctx.oidc;
    const token = entities.ClientCredentials ?? entities.AccessToken;
    record(ctx, 'token.issued', {
      ...toDetails({ grant_type: params?.grant_type, resource: params?.resource, scope: token?.scope }),
      // The identifier of a JWT (RFC 7519 §4.1.7) is safe to store; that of an opaque token is the token itself.
      ...(token?.format === 'jwt' && { jti: token.jti }),
    });
  }

  function tokenRefused(ctx: KoaContextWithOIDC, { error, error_detail }: errors.OIDCProviderError): void {
    const isUnauthenticated = error === 'invalid_client';
    const event = toActorAndOrigin(ctx);
    void audit.record({
      ...event,
      type: isUnauthenticated ? 'client.authentication_failed' : 'token.refused',
      at: now(),
      // A client that failed to authenticate is not the actor.
      actor: isUnauthenticated ? null : event.actor,
      details: toDetails({ error, reason: isUnauthenticated ? error_detail : undefined }),
    });
  }

  /** Records only failed authentication at the other endpoints where clients authenticate. */
  function requestRefused(ctx: KoaContextWithOIDC, err: errors.OIDCProviderError): void {
    if (err.error === 'invalid_client') tokenRefused(ctx, err);
  }

  /** Records a sign-out. A user who cancels it only loses the grant, which `grant.revoked` records. */
  function signedOut(ctx: KoaContextWithOIDC): void {
    if (ctx.oidc.params?.logout) record(ctx, 'account.signed_out', {});
  }

  /** Records a revocation (RFC 7009 §2.1). oidc-provider emits the destroyed token, but not the request. */
  function tokenDestroyed({ kind }: { kind: string }): void {
    const ctx = Provider.ctx;
    if (ctx?.oidc.route === 'revocation') record(ctx, 'token.revoked', { kind });
  }

  return {
    /** Middleware that delays the response until its audit records are written. */
    awaitRecords,
    accessTokenRevoked,
    /** Records a reused artifact after its grant was revoked (RFC 9700 §4.14.2). */
    async tokenReused({
      model,
      ...artifact
    }: Pick<StoredArtifact, 'model' | 'accountId' | 'clientId'>): Promise<void> {
      const ctx = Provider.ctx;
      const from = { address: ctx?.ip ?? null, requestId: ctx ? findRequestId(ctx) : null };
      const { accountId = null, clientId = null } = artifact;
      const parties = { actor: clientId, accountId, clientId };
      await audit.record({
        ...parties,
        ...from,
        type: 'token.reused',
        at: now(),
        details: { kind: model },
      });
    },
    attachTo(provider: Provider): void {
      provider.on('grant.success', tokenIssued);
      provider.on('grant.error', tokenRefused);
      provider.on('pushed_authorization_request.error', requestRefused);
      provider.on('introspection.error', requestRefused);
      provider.on('revocation.error', requestRefused);
      provider.on('access_token.destroyed', tokenDestroyed);
      provider.on('client_credentials.destroyed', tokenDestroyed);
      provider.on('refresh_token.destroyed', tokenDestroyed);
      provider.on('grant.revoked', (ctx) => record(ctx, 'grant.revoked', {}));
      provider.on('end_session.success', signedOut);
    },
  };
}

/** Creates a recorder for event listeners. oidc-provider does not await them; `awaitRecords` does. */
function createRecorder({ audit, now }: ProviderAuditOptions) {
  const awaitRecords: Middleware = async (ctx, next) => {
    await next();
    await Promise.all(listRecords(ctx));
  };

  function record(
    ctx: KoaContextWithOIDC,
    type: AuditEventType,
    details: AuditEvent['details'],
    about: { accountId?: string } = {},
  ): void {
    const recording = audit.record({ ...toActorAndOrigin(ctx), type, at: now(), details, ...about });
    ctx.state.auditRecords = [...listRecords(ctx), recording];
  }

  return {
    awaitRecords,
    record,
    /** Records an access token for the API that its client revoked, with its grant (RFC 7009 §2.1). */
    accessTokenRevoked(ctx: KoaContextWithOIDC, accountId: string): void {
      record(ctx, 'token.revoked', { kind: 'AccessToken' }, { accountId });
      record(ctx, 'grant.revoked', {}, { accountId });
    },
  };
}

/** Returns the records of a request that may not be written yet. */
function listRecords({ state }: Pick<Context, 'state'>): readonly Promise<void>[] {
  return state.auditRecords ?? [];
}

/**
 * Returns actor, account, client and origin of a request. In a browser the signed-in user acts; elsewhere a client acts
 * on behalf of the account of the token or code it presents.
 */
function toActorAndOrigin(ctx: KoaContextWithOIDC) {
  const { client, entities } = ctx.oidc;
  const { AccessToken, RefreshToken, AuthorizationCode, DeviceCode, Session } = entities;
  const about = RefreshToken ?? AuthorizationCode ?? DeviceCode ?? AccessToken ?? Session;
  return {
    actor: Session?.accountId ?? client?.clientId ?? about?.accountId ?? null,
    accountId: about?.accountId ?? null,
    clientId: client?.clientId ?? null,
    address: ctx.ip,
    requestId: findRequestId(ctx),
  };
}

function findRequestId({ state }: Pick<KoaContextWithOIDC, 'state'>): string | null {
  return typeof state.requestId === 'string' ? state.requestId : null;
}

/** Converts values to audit details; a repeated parameter is an array. */
function toDetails(members: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(' ') : String(value)]),
  );
}
