import type { KeyObject } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { repeatTask } from '@keydesk/server';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { ExternalSigningKey, type JWK } from 'oidc-provider';
import type { Logger } from 'pino';
import { createJwsSigner } from '../keys/jws-signer.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import { sendOAuthError } from './responses/oauth-error.ts';

interface HotProviderOptions {
  ring: KeyRing;
  build: (keys: readonly SigningKey[]) => Provider;
  /** Interval in milliseconds at which the stored key set is read. */
  pollMs: number;
  log: Logger;
}

/**
 * Creates a request handler that always uses a provider with the current keys. oidc-provider reads its keys at
 * construction, so changed keys need a new provider; requests in flight finish with the old one.
 */
export async function createHotProvider({ ring, build, pollMs, log }: HotProviderOptions) {
  await ring.refresh();
  let handle = build(ring.keys()).callback();

  async function refresh(): Promise<void> {
    try {
      if (await ring.refresh()) handle = build(ring.keys()).callback();
    } catch (err) {
      log.error({ err }, 'signing keys could not be read');
    }
  }

  const polling = repeatTask(refresh, { intervalMs: pollMs });

  return {
    handle: ((request, response) => handle(request, response)) satisfies RequestListener,
    stop: polling.stop,
  };
}

const staleKeys = {
  status: 503,
  error: 'temporarily_unavailable',
  description: 'Signing keys are temporarily unavailable; retry later.',
  headers: { 'Retry-After': '1' },
};

/** Rejects token requests while this process may have missed a key rotation. APIs would not accept such a token. */
export function requireFreshKeys({ isStale }: Pick<KeyRing, 'isStale'>): Middleware {
  return function rejectStaleKeys(ctx, next) {
    return isStale() ? sendOAuthError(ctx, staleKeys) : next();
  };
}

/**
 * Converts a signing key for oidc-provider. An RSA key is passed as a JWK without `alg`, because it signs RS256 and
 * PS256, as each client registered. It signs few tokens, so oidc-provider's slower signing does not matter.
 */
export function toProviderKey(key: SigningKey): JWK | ExternalSigningKey {
  if (key.algorithm === 'ES256') return new ProviderKey(key);
  return { ...(key.privateKey.export({ format: 'jwk' }) as JWK), kid: key.kid, use: 'sig' };
}

/** A key whose signatures we compute ourselves. oidc-provider requires a subclass. */
class ProviderKey extends ExternalSigningKey {
  readonly #key: SigningKey;
  readonly #sign: ReturnType<typeof createJwsSigner>;

  constructor(key: SigningKey) {
    super();
    this.#key = key;
    this.#sign = createJwsSigner(key);
  }

  override get kid(): string {
    return this.#key.kid;
  }

  override get alg(): string {
    return this.#key.algorithm;
  }

  override keyObject(): KeyObject {
    return this.#key.publicKey;
  }

  override sign(data: Uint8Array): Promise<Uint8Array> {
    return this.#sign(data);
  }
}
