/** Versioned document of an account; version 0 if nothing is stored. */
interface AccountDocument {
  accountId: string;
  version: number;
}

/** Store of one document for each account, with compare-and-set. */
export interface DocumentStore<Document extends AccountDocument, Outcome extends string> {
  find(accountId: string): Promise<Document | undefined>;
  replace(document: Document, expectedVersion: number): Promise<Outcome>;
}

/** Members of a document that can change. */
type DocumentChanges<Document extends AccountDocument> = Partial<Omit<Document, keyof AccountDocument>>;

interface DocumentChange<Document extends AccountDocument> {
  /** Returns the document of an account that has none. */
  create(accountId: string): Document;
  /** Returns the changes, or nothing to write nothing. */
  decide(document: Document): DocumentChanges<Document> | undefined | null;
  /** Runs between the read and the write; rejects to write nothing. */
  confirm?: (() => Promise<void>) | undefined;
}

/** Returns the next version of a document. */
export function updateDocument<Document extends AccountDocument>(
  document: Document,
  changes: DocumentChanges<Document>,
): Document {
  return { ...document, ...changes, version: document.version + 1 };
}

/**
 * Reads, changes and writes the document of an account; decides again when another call wrote it in between.
 *
 * @returns the document before and after, and what the store did with the latter; `undefined` if nothing was decided
 */
export async function changeDocument<Document extends AccountDocument, Outcome extends string>(
  store: DocumentStore<Document, Outcome>,
  accountId: string,
  { create, decide, confirm }: DocumentChange<Document>,
): Promise<{ before: Document; after: Document; outcome: Exclude<Outcome, 'stale'> } | undefined> {
  for (;;) {
    const before = (await store.find(accountId)) ?? create(accountId);
    const changes = decide(before);
    if (!changes) return undefined;
    await confirm?.();
    const after = updateDocument(before, changes);
    const outcome = await store.replace(after, before.version);
    if (outcome !== 'stale') return { before, after, outcome: outcome as Exclude<Outcome, 'stale'> };
  }
}
