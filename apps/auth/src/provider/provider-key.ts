import type { KeyObject } from 'node:crypto';
import { ExternalSigningKey } from 'oidc-provider';
import { signJws } from '../keys/jws-signature.ts';
import type { SigningKey } from '../keys/signing-key.ts';

/** A signing key as the library takes one that does not sign by the library's own means. It asks for a subclass. */
export class ProviderKey extends ExternalSigningKey {
  readonly #key: SigningKey;

  constructor(key: SigningKey) {
    super();
    this.#key = key;
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
    return signJws(data, this.#key);
  }
}
