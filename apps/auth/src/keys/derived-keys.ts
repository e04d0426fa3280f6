import { createSecretKey, type KeyObject } from 'node:crypto';
import { createSealer, deriveKey, type Sealer } from './sealing.ts';

/** The keys of everything secret that is stored, each for one purpose, all from the master secret. */
export interface DerivedKeys {
  signingKeys: Sealer;
  artifacts: Sealer;
  /** What client secrets are digested under. */
  clientSecrets: KeyObject;
  /** What browsers' cookies are signed with, as text. */
  cookies: string;
  /** What shows that a form is ours. */
  forms: Uint8Array;
  /** What devices that somebody has signed in on are recognised by. */
  devices: Uint8Array;
}

/** Changing a purpose's name makes unreadable whatever was stored for it. */
export function deriveKeys(masterSecret: string): DerivedKeys {
  return {
    signingKeys: createSealer(deriveKey(masterSecret, 'signing keys')),
    artifacts: createSealer(deriveKey(masterSecret, 'artifacts')),
    // Node takes 5 µs for an HMAC under a key object, 20 and more under its bytes.
    clientSecrets: createSecretKey(deriveKey(masterSecret, 'client secrets')),
    cookies: Buffer.from(deriveKey(masterSecret, 'cookies')).toString('base64url'),
    forms: deriveKey(masterSecret, 'forms'),
    devices: deriveKey(masterSecret, 'devices'),
  };
}
