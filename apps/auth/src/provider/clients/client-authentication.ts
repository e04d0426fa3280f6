import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import Provider, { type Client, errors, type JsonValue, type KoaContextWithOIDC } from 'oidc-provider';
import type { Logger } from 'pino';
import type { Client as StoredClient } from '../../clients/client.ts';
import { findSecret } from '../../clients/client-secret.ts';
import type { ClientStore } from '../../clients/client-store.ts';
import { hasFapiAlgorithm, isFapi } from '../tokens/fapi.ts';
import { findJsonFault } from '../tokens/read-jwt.ts';
import { type SecretRecord, secretsOf } from './client-metadata.ts';

export interface ClientAuthenticationOptions {
  clients: Pick<ClientStore, 'recordSecretUse'>;
  /** HMAC key of the secret digests. */
  secretKey: KeyObject;
  now: () => Date;
  /** Called with each authenticated client; may reject it by throwing an OAuth error. */
  onAuthenticated: (ctx: KoaContextWithOIDC, client: Client) => Promise<void>;
  log: Logger;
}

/** Client authentication: secrets by digest, assertions by oidc-provider and the additional rules here. */
export interface ClientAuthentication {
  /** Makes oidc-provider compare secrets by digest. Without it the comparison would be in clear text. */
  installOn(provider: Provider): void;
  /** Whether a stored client has an unexpired secret, and records its use. */
  hasSecret(client: Pick<StoredClient, 'id' | 'secrets'>, presented: string): boolean;
  /** Checks a client assertion whose signature, issuer and audience are valid (RFC 7523 §3). */
  assertAssertion(ctx: KoaContextWithOIDC, assertion: ClientAssertion, client: Client): Promise<void>;
}

/** Decoded parts of a client assertion. */
export interface ClientAssertion {
  claims: Readonly<Record<string, JsonValue>>;
  header: Readonly<Record<string, JsonValue>>;
}

/** RFC 7523 §3 (4): the `jti` of a longer-lived assertion would have to be stored for longer. */
const MAX_ASSERTION_LIFE_SECONDS = 3_600;
/** FAPI 2.0 §5.3.2.1 no. 13: 10 s ahead must be accepted, more than 60 s rejected. */
const MAX_AHEAD_SECONDS = 60;

export function createClientAuthentication(options: ClientAuthenticationOptions): ClientAuthentication {
  const { secretKey: key, now, onAuthenticated } = options;
  const recordUse = createUseRecorder(options);

  function hasSecret(clientId: string, secrets: readonly SecretRecord[], presented: string): boolean {
    const secret = findSecret(secrets, presented, { key, now: now() });
    if (secret) recordUse(clientId, secret.id);
    return secret !== undefined;
  }

  return {
    hasSecret: ({ id, secrets }, presented) => hasSecret(id, secrets, presented),
    installOn(provider) {
      provider.Client.prototype.compareClientSecret = async function compareDigest(this: Client, presented) {
        if (!hasSecret(this.clientId, secretsOf(this), presented)) return false;
        if (Provider.ctx) await onAuthenticated(Provider.ctx, this);
        return true;
      };
    },
    async assertAssertion(ctx, assertion, client) {
      const fault =
        findJsonFault(ctx.oidc.params?.client_assertion) ??
        findFault(assertion, now().getTime() / 1000) ??
        findFapiFault(assertion, ctx.oidc.issuer, client);
      if (fault) throw new errors.InvalidClientAuth(`the client_assertion ${fault}`);
      await onAuthenticated(ctx, client);
    },
  };
}

function findFault(
  { claims: { exp, iat }, header }: ClientAssertion,
  nowSeconds: number,
): string | undefined {
  if (Number(exp) > nowSeconds + MAX_ASSERTION_LIFE_SECONDS) return 'must expire within an hour';
  if (iat !== undefined && !(Number(iat) <= nowSeconds + MAX_AHEAD_SECONDS))
    return 'has an iat in the future';
  // RFC 8725 §3.11: the same key signs request objects.
  if (header.typ === REQUEST_OBJECT_TYPE) return 'is a Request Object';
  return undefined;
}

/** Checks the rules of FAPI 2.0 §5.3.2.1 no. 8 and §5.4.1. */
function findFapiFault(
  { claims: { aud }, header }: ClientAssertion,
  issuer: string,
  client: Client,
): string | undefined {
  if (!isFapi(client)) return undefined;
  if (aud !== issuer) return 'must have the issuer as its only aud';
  return hasFapiAlgorithm(header) ? undefined : 'must be signed with an alg that FAPI 2.0 allows';
}

/** `typ` of request objects (RFC 9101 §4). */
const REQUEST_OBJECT_TYPE = 'oauth-authz-req+jwt';

const USE_INTERVAL_MS = 60_000;
const MAX_TRACKED_SECRETS = 10_000;

/** Records the last use of a secret, at most once a minute and without delaying the request. */
function createUseRecorder({ clients, now, log }: ClientAuthenticationOptions) {
  const recorded = new LRUCache<string, number>({ max: MAX_TRACKED_SECRETS });

  return (clientId: string, secretId: string) => {
    const at = now().getTime();
    if (at - (recorded.get(secretId) ?? Number.NEGATIVE_INFINITY) < USE_INTERVAL_MS) return;
    recorded.set(secretId, at);
    clients.recordSecretUse(clientId, secretId, new Date(at)).catch((err) => {
      recorded.delete(secretId);
      log.warn({ err, client_id: clientId }, 'last use of a client secret could not be stored');
    });
  };
}
