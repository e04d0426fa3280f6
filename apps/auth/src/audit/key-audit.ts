import type { KeyChange } from '../keys/key-ring.ts';
import type { Audit } from './audit.ts';

export interface KeyAuditOptions {
  audit: Pick<Audit, 'record'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/** Creates a listener that records changes of the signing keys. */
export function createKeyAudit({ audit, clock }: KeyAuditOptions): (change: KeyChange) => Promise<void> {
  const noParties = { actor: null, accountId: null, clientId: null, address: null, requestId: null };

  return (change) => {
    const listed = Object.entries(change).filter(([, kids]) => kids.length > 0);
    const details = Object.fromEntries(listed.map(([what, kids]) => [what, kids.join(' ')]));
    return audit.record({ ...noParties, type: 'keys.changed', at: new Date(clock()), details });
  };
}
