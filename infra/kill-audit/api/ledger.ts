/** What the API has acknowledged of one ticket; what it has not may be there all the same. */
export interface LedgerEntry {
  /** Names the ticket before its id is known. */
  readonly externalId: string;
  id?: string;
  /** Of the latest acknowledged change. */
  version: number;
  subject: string;
  isDeleted: boolean;
  /** Bodies of the acknowledged replies that were not removed, by id. */
  readonly replies: Map<string, string>;
  /** A request was sent and not answered: it counts wholly or not at all. */
  isInFlight: boolean;
}

/** What the writers were told. */
export interface Ledger {
  readonly entries: readonly LedgerEntry[];
  /** Acknowledged requests by what they did. */
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
