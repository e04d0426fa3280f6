import type { KeyObject } from 'node:crypto';
import { ExternalSigningKey, type JWK } from 'oidc-provider';
import { createJwsSigner } from '../keys/jws-signature.ts';
import type { SigningKey } from '../keys/signing-key.ts';

/**
 * A signing key as the library takes it. An RSA key goes there as it is, and names no `alg`, for it signs RS256 and
 * PS256, as each client registered; and few tokens, so that what the library takes for a signature does not matter.
 */
export function toProviderKey(key: SigningKey): JWK | ExternalSigningKey {
  if (key.algorithm === 'ES256') return new ProviderKey(key);
  return { ...(key.privateKey.export({ format: 'jwk' }) as JWK), kid: key.kid, use: 'sig' };
}

/** A signing key as the library takes one that does not sign by the library's own means. It asks for a subclass. */
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
