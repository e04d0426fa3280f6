import { createDirectAudit } from '../../audit/audit.ts';
import { operator, withClientAudit } from '../../audit/client-audit.ts';
import type { Clients } from '../../clients/clients.ts';
import { assembleClients } from '../../composition/clients.ts';
import type { DerivedKeys } from '../../keys/derived-keys.ts';
import type { Storage } from '../../storage/storage.ts';

/** Opens the clients for a command, whose changes are recorded as those of the operator. */
export function openClients(storage: Storage, derived: DerivedKeys): Clients {
  const clients = assembleClients({ storage, derived, now: () => new Date() });
  const audit = createDirectAudit(storage.audit);
  return withClientAudit(clients, { audit, author: operator, now: () => new Date() });
}
