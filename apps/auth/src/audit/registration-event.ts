import type { Client } from '../clients/client.ts';
import type { Audit } from './audit.ts';

/** A change of a client that a program registered. */
export interface RegistrationEvent {
  type: 'client.registered' | 'client.changed' | 'client.removed' | 'client.idle_removed';
  at: Date;
  client: Pick<Client, 'id' | 'type' | 'scopes'>;
  /** The client itself, or the initial access token as `registration:<id>`; `null` for the server. */
  by: string | null;
  origin: { address: string; requestId: string | null } | null;
}

/** Writes registrations to the audit log, without the client's name, which is untrusted text. */
export function createRegistrationAudit(audit: Pick<Audit, 'record'>) {
  return ({ type, at, client, by, origin }: RegistrationEvent): Promise<void> =>
    audit.record({
      type,
      at,
      actor: by,
      accountId: null,
      clientId: client.id,
      address: origin?.address ?? null,
      requestId: origin?.requestId ?? null,
      details: { type: client.type, scope: client.scopes.join(' ') },
    });
}
