/** Acknowledged state of one ticket; unacknowledged changes may exist, too. */
export interface LedgerEntry {
  /** Identifies the ticket until its id is returned. */
  readonly externalId: string;
  id?: string;
  /** Version after the latest acknowledged change. */
  version: number;
  subject: string;
  isDeleted: boolean;
  /** Bodies of acknowledged, not removed replies by id. */
  readonly replies: Map<string, string>;
  /** A request was sent and not answered; it must be applied completely or not at all. */
  isInFlight: boolean;
}

/** Record of acknowledged requests. */
export interface Ledger {
  readonly entries: readonly LedgerEntry[];
  /** Number of acknowledged requests by kind. */
  readonly acknowledged: Readonly<Record<string, number>>;
  open(externalId: string, subject: string): LedgerEntry;
  acknowledge(what: string): void;
}

export function createLedger(): Ledger {
  const entries: LedgerEntry[] = [];
  const acknowledged: Record<string, number> = {};
  return {
    entries,
    acknowledged,
    open(externalId, subject) {
      const entry: LedgerEntry = {
        externalId,
        version: 0,
        subject,
        isDeleted: false,
        replies: new Map(),
        isInFlight: false,
      };
      entries.push(entry);
      return entry;
    },
    acknowledge(what) {
      acknowledged[what] = (acknowledged[what] ?? 0) + 1;
    },
  };
}
