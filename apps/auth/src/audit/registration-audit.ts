import type { RegistrationEvent } from '../clients/registration/registrations.ts';
import type { Audit } from './audit.ts';

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
