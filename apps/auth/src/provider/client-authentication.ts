import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import Provider, { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { Logger } from 'pino';
import { findSecret } from '../clients/client-secret.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { secretsOf } from './client-metadata.ts';

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
  assertAssertion(ctx: KoaContextWithOIDC, claims: { exp?: unknown }, client: Client): Promise<void>;
}

/** RFC 7523 §3 (4): an assertion that is good for longer would have to be remembered for longer. */
const MAX_ASSERTION_LIFE_SECONDS = 3_600;

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
    async assertAssertion(ctx, { exp }, client) {
      if (Number(exp) > clock() / 1000 + MAX_ASSERTION_LIFE_SECONDS)
        throw new errors.InvalidClientAuth('the client_assertion is good for more than an hour');
      await onAuthenticated(ctx, client);
    },
  };
}

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
