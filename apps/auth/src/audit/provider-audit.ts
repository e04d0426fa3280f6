import type { Context, Middleware } from 'koa';
import Provider, { type errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { StoredArtifact } from '../provider/artifact-store.ts';
import type { Audit } from './audit.ts';
import type { AuditEvent, AuditEventType } from './audit-event.ts';

export interface ProviderAuditOptions {
  audit: Pick<Audit, 'record'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

export type ProviderAudit = ReturnType<typeof createProviderAudit>;

/** Takes what the provider does into the audit record. */
export function createProviderAudit({ audit, clock }: ProviderAuditOptions) {
  const { record, holdAnswer } = createRecorder({ audit, clock });

  function tokenIssued(ctx: KoaContextWithOIDC): void {
    const { params, entities } = ctx.oidc;
    const token = entities.ClientCredentials ?? entities.AccessToken;
    record(ctx, 'token.issued', {
      ...textsOf({ grant_type: params?.grant_type, resource: params?.resource, scope: token?.scope }),
      // The identifier of a JWT (RFC 7519 §4.1.7) names it; that of an opaque token is the token itself.
      ...(token?.format === 'jwt' && { jti: token.jti }),
    });
  }

  function tokenRefused(ctx: KoaContextWithOIDC, { error, error_detail }: errors.OIDCProviderError): void {
    const isStranger = error === 'invalid_client';
    const event = whoAndWhere(ctx);
    void audit.record({
      ...event,
      type: isStranger ? 'client.authentication_failed' : 'token.refused',
      at: new Date(clock()),
      // Who did not prove to be the client is not the one who acts.
      actor: isStranger ? null : event.actor,
      details: textsOf({ error, reason: isStranger ? error_detail : undefined }),
    });
  }

  /** At the other endpoints where clients authenticate, guesses at a secret are all that is recorded of refusals. */
  function requestRefused(ctx: KoaContextWithOIDC, err: errors.OIDCProviderError): void {
    if (err.error === 'invalid_client') tokenRefused(ctx, err);
  }

  /** Whoever stays leaves the application alone, of which `grant.revoked` tells. */
  function signedOut(ctx: KoaContextWithOIDC): void {
    if (ctx.oidc.params?.logout) record(ctx, 'account.signed_out', {});
  }

  /** RFC 7009 §2.1. The library tells of the end of a token, not of the request that asked for it. */
  function tokenDestroyed({ kind }: { kind: string }): void {
    const ctx = Provider.ctx;
    if (ctx?.oidc.route === 'revocation') record(ctx, 'token.revoked', { kind });
  }

  return {
    /** Lets a request be answered once what it changed is on record. */
    holdAnswer,
    /** RFC 9700 §4.14.2: what was redeemed before came again, and its grant was revoked. */
    async tokenReused({
      model,
      ...artifact
    }: Pick<StoredArtifact, 'model' | 'accountId' | 'clientId'>): Promise<void> {
      const ctx = Provider.ctx;
      const from = { address: ctx?.ip ?? null, requestId: ctx ? requestIdOf(ctx) : null };
      const { accountId = null, clientId = null } = artifact;
      const who = { actor: clientId, accountId, clientId };
      await audit.record({
        ...who,
        ...from,
        type: 'token.reused',
        at: new Date(clock()),
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

/** The library does not wait for those who are told of an event; `holdAnswer` does. */
function createRecorder({ audit, clock }: ProviderAuditOptions) {
  const underWay = new WeakMap<Context, Promise<void>[]>();

  const holdAnswer: Middleware = async (ctx, next) => {
    await next();
    await Promise.all(underWay.get(ctx) ?? []);
  };

  return {
    holdAnswer,
    record(ctx: KoaContextWithOIDC, type: AuditEventType, details: AuditEvent['details']): void {
      const recording = audit.record({ ...whoAndWhere(ctx), type, at: new Date(clock()), details });
      underWay.set(ctx, [...(underWay.get(ctx) ?? []), recording]);
    },
  };
}

/**
 * Where a browser is, its person acts, if somebody is signed in; elsewhere a client, for the account that what it
 * presents was issued to.
 */
function whoAndWhere(ctx: KoaContextWithOIDC) {
  const { client, entities } = ctx.oidc;
  const { AccessToken, RefreshToken, AuthorizationCode, DeviceCode, Session } = entities;
  const about = RefreshToken ?? AuthorizationCode ?? DeviceCode ?? AccessToken ?? Session;
  return {
    actor: Session?.accountId ?? client?.clientId ?? about?.accountId ?? null,
    accountId: about?.accountId ?? null,
    clientId: client?.clientId ?? null,
    address: ctx.ip,
    requestId: requestIdOf(ctx),
  };
}

function requestIdOf({ state }: Pick<KoaContextWithOIDC, 'state'>): string | null {
  return typeof state.requestId === 'string' ? state.requestId : null;
}

/** The members that are texts; a parameter that was sent several times is a list. */
function textsOf(members: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(' ') : String(value)]),
  );
}
