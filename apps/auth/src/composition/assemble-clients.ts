import { v7 as uuidv7 } from 'uuid';
import { type Clients, type ClientsOptions, createClients } from '../clients/clients.ts';
import type { DerivedKeys } from '../keys/derived-keys.ts';
import type { Storage } from '../storage/storage.ts';

export interface ClientsDeps {
  storage: Pick<Storage, 'clients' | 'artifacts'>;
  derived: Pick<DerivedKeys, 'clientSecrets'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
  requireAccess?: ClientsOptions['requireAccess'];
}

/** Assembles the client use cases on a storage. */
export function assembleClients({ storage, derived, clock, requireAccess }: ClientsDeps): Clients {
  return createClients({
    store: storage.clients,
    secretKey: derived.clientSecrets,
    revokeClient: storage.artifacts.revokeClient,
    clock,
    newId: uuidv7,
    requireAccess,
  });
}
