import { createSealer, deriveKey, type Sealer } from './sealing.ts';

/** The keys of everything secret that is stored, each for one purpose, all from the master secret. */
export interface DerivedKeys {
  signingKeys: Sealer;
  artifacts: Sealer;
  /** What client secrets are digested under. */
  clientSecrets: Uint8Array;
}

/** Changing a purpose's name makes unreadable whatever was stored for it. */
export function deriveKeys(masterSecret: string): DerivedKeys {
  return {
    signingKeys: createSealer(deriveKey(masterSecret, 'signing keys')),
    artifacts: createSealer(deriveKey(masterSecret, 'artifacts')),
    clientSecrets: deriveKey(masterSecret, 'client secrets'),
  };
}
