import type { Client } from '../clients/client.ts';
import type { Clients } from '../clients/clients.ts';
import type { Audit } from './audit.ts';
import type { AuditEvent, AuditEventType } from './audit-event.ts';

/** On whose behalf clients are changed. */
export type Author = Pick<AuditEvent, 'actor' | 'accountId' | 'address' | 'requestId'>;

/** Whoever runs the commands. */
export const operator: Author = { actor: 'operator', accountId: null, address: 'cli', requestId: null };

export interface ClientAuditOptions {
  audit: Pick<Audit, 'record'>;
  author: Author;
  clock: () => number;
}

/** The same clients; every change of one is in the audit record when it resolves. */
export function withClientAudit(clients: Clients, { audit, author, clock }: ClientAuditOptions): Clients {
  const record = (type: AuditEventType, clientId: string, details: AuditEvent['details'] = {}) =>
    audit.record({ ...author, type, at: new Date(clock()), clientId, details });

  return {
    ...clients,
    async add(request) {
      const added = await clients.add(request);
      await record('client.added', added.client.id, describe(added.client));
      return added;
    },
    async rotateSecret(id, overlapSeconds) {
      const rotated = await clients.rotateSecret(id, overlapSeconds);
      await record('client.secret_rotated', id, { overlap_seconds: String(overlapSeconds) });
      return rotated;
    },
    async setStatus(id, status) {
      const client = await clients.setStatus(id, status);
      await record(status === 'active' ? 'client.enabled' : 'client.disabled', id);
      return client;
    },
    async remove(id) {
      await clients.remove(id);
      await record('client.removed', id);
    },
  };
}

function describe({ name, type, role, scopes }: Client): AuditEvent['details'] {
  return { name, type, role: role ?? 'none', scope: scopes.join(' ') };
}
