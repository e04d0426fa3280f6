import type { Sqlite } from '@keydesk/storage/sqlite';
import type { KeyStore, StoredKey } from '../../keys/key-store.ts';

interface KeyDocument extends Omit<StoredKey, 'sealedJwk' | 'createdAt' | 'activeFrom'> {
  /** base64url */
  sealedJwk: string;
  createdAt: string;
  activeFrom: string | null;
}

/** Creates the key store in SQLite. The whole set is one row, so that it is always read at one revision. */
export function createSqliteKeyStore({ prepare, readOne, write }: Sqlite): KeyStore {
  const load = prepare('SELECT revision, document FROM signing_keys');
  const save = prepare('UPDATE signing_keys SET revision = revision + 1, document = ? WHERE revision = ?');

  return {
    async load() {
      const { revision, document } = readOne(() => load.get()) ?? {};
      const keys = JSON.parse(String(document)) as KeyDocument[];
      return { revision: Number(revision), keys: keys.map(toKey) };
    },
    save: (keys, expectedRevision) =>
      write(() => save.run(JSON.stringify(keys.map(toDocument)), expectedRevision).changes === 1),
  };
}

function toDocument({ sealedJwk, createdAt, activeFrom, ...rest }: StoredKey): KeyDocument {
  return {
    ...rest,
    sealedJwk: Buffer.from(sealedJwk).toString('base64url'),
    createdAt: createdAt.toISOString(),
    activeFrom: activeFrom?.toISOString() ?? null,
  };
}

function toKey({ sealedJwk, createdAt, activeFrom, ...rest }: KeyDocument): StoredKey {
  return {
    ...rest,
    sealedJwk: Buffer.from(sealedJwk, 'base64url'),
    createdAt: new Date(createdAt),
    activeFrom: activeFrom === null ? null : new Date(activeFrom),
  };
}
