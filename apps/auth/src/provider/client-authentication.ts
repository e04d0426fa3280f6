import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import Provider, { type Client, errors, type JsonValue, type KoaContextWithOIDC } from 'oidc-provider';
import type { Logger } from 'pino';
import { findSecret } from '../clients/client-secret.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { secretsOf } from './client-metadata.ts';
import { isFapi, isFapiSigned } from './fapi.ts';
import { jsonFaultOf } from './read-jwt.ts';

export interface ClientAuthenticationOptions {
  clients: Pick<ClientStore, 'touchSecret'>;
  /** The key that secrets are digested under. */
  secretKey: KeyObject;
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** Called with each client that has proved who it is; may refuse it by throwing an OAuth error. */
  onAuthenticated: (ctx: KoaContextWithOIDC, client: Client) => Promise<void>;
  log: Logger;
}

/** How clients prove who they are: secrets by digest, assertions by the library and the rules here. */
export interface ClientAuthentication {
  /** Makes the library's clients compare secrets by digest. Without it the library would compare clear text. */
  installOn(provider: Provider): void;
  /** Judges a client assertion whose signature, issuer and audience are good (RFC 7523 §3). */
  assertAssertion(ctx: KoaContextWithOIDC, assertion: ClientAssertion, client: Client): Promise<void>;
}

/** The decoded parts of a JWT by which a client authenticates. */
export interface ClientAssertion {
  claims: Readonly<Record<string, JsonValue>>;
  header: Readonly<Record<string, JsonValue>>;
}

/** RFC 7523 §3 (4): an assertion that is good for longer would have to be remembered for longer. */
const MAX_ASSERTION_LIFE_SECONDS = 3_600;
/** FAPI 2.0 §5.3.2.1 no. 13: 10 s ahead are to be accepted, and more than 60 s refused. */
const MAX_AHEAD_SECONDS = 60;

export function createClientAuthentication(options: ClientAuthenticationOptions): ClientAuthentication {
  const { secretKey: key, clock, onAuthenticated } = options;
  const recordUse = createUseRecorder(options);

  return {
    installOn(provider) {
      provider.Client.prototype.compareClientSecret = async function compareDigest(this: Client, presented) {
        const secret = findSecret(secretsOf(this), presented, { key, now: new Date(clock()) });
        if (!secret) return false;
        recordUse(this.clientId, secret.id);
        if (Provider.ctx) await onAuthenticated(Provider.ctx, this);
        return true;
      };
    },
    async assertAssertion(ctx, assertion, client) {
      const fault =
        jsonFaultOf(ctx.oidc.params?.client_assertion) ??
        faultOf(assertion, clock() / 1000) ??
        fapiFaultOf(assertion, ctx.oidc.issuer, client);
      if (fault) throw new errors.InvalidClientAuth(`the client_assertion ${fault}`);
      await onAuthenticated(ctx, client);
    },
  };
}

function faultOf({ claims: { exp, iat }, header }: ClientAssertion, now: number): string | undefined {
  if (Number(exp) > now + MAX_ASSERTION_LIFE_SECONDS) return 'is good for more than an hour';
  if (iat !== undefined && !(Number(iat) <= now + MAX_AHEAD_SECONDS)) return 'was made in the future';
  // RFC 8725 §3.11: what the same key signed for another purpose.
  if (header.typ === REQUEST_OBJECT_TYPE) return 'is a Request Object';
  return undefined;
}

/** FAPI 2.0 §5.3.2.1 no. 8, §5.4.1 */
function fapiFaultOf(
  { claims: { aud }, header }: ClientAssertion,
  issuer: string,
  client: Client,
): string | undefined {
  if (!isFapi(client)) return undefined;
  if (aud !== issuer) return 'has another audience than the issuer';
  return isFapiSigned(header) ? undefined : 'is signed by another alg than FAPI has';
}

/** RFC 9101 §4 */
const REQUEST_OBJECT_TYPE = 'oauth-authz-req+jwt';

const USE_INTERVAL_MS = 60_000;
const REMEMBERED_SECRETS = 10_000;

/** Records when a secret was used, at most once a minute, and while the request goes on. */
function createUseRecorder({ clients, clock, log }: ClientAuthenticationOptions) {
  const recorded = new LRUCache<string, number>({ max: REMEMBERED_SECRETS });

  return (clientId: string, secretId: string) => {
    const now = clock();
    if (now - (recorded.get(secretId) ?? Number.NEGATIVE_INFINITY) < USE_INTERVAL_MS) return;
    recorded.set(secretId, now);
    clients.touchSecret(clientId, secretId, new Date(now)).catch((err) => {
      recorded.delete(secretId);
      log.warn({ err, client_id: clientId }, 'the use of a client secret could not be recorded');
    });
  };
}
