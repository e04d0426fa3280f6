import type { KeyObject } from 'node:crypto';
import { ExternalSigningKey, type JWK } from 'oidc-provider';
import { createJwsSigner } from '../keys/jws-signer.ts';
import type { SigningKey } from '../keys/signing-key.ts';

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
