import type { Sqlite } from '@keydesk/storage/sqlite';
import type { ClientLogo } from '../../../clients/logo/client-logo.ts';

/** SQL statements of logos, by name. */
export const clientLogoSql = {
  find: 'SELECT media_type, digest, bytes, created_at FROM client_logos WHERE client_id = ?',
  put: `INSERT INTO client_logos (client_id, media_type, digest, bytes, created_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (client_id) DO UPDATE SET media_type = excluded.media_type, digest = excluded.digest,
          bytes = excluded.bytes, created_at = excluded.created_at`,
  remove: 'DELETE FROM client_logos WHERE client_id = ?',
};

/** Creates the store of client logos in SQLite. The foreign key deletes a logo with its client. */
export function createSqliteClientLogos({ prepare, readOne }: Sqlite) {
  const find = prepare(clientLogoSql.find);
  const put = prepare(clientLogoSql.put);
  const remove = prepare(clientLogoSql.remove);

  return {
    find(clientId: string): ClientLogo | undefined {
      const row = readOne(() => find.get(clientId));
      return row && toLogo(row);
    },
    /** Sets or removes a logo. Call it only inside `write`, with the change of the client. */
    set(clientId: string, logo: ClientLogo | null): void {
      if (logo === null) remove.run(clientId);
      else put.run(clientId, logo.mediaType, logo.digest, logo.bytes, logo.createdAt.getTime());
    },
  };
}

function toLogo(row: Record<string, unknown>): ClientLogo {
  return {
    mediaType: row.media_type as ClientLogo['mediaType'],
    digest: String(row.digest),
    bytes: Buffer.from(row.bytes as Uint8Array),
    createdAt: new Date(Number(row.created_at)),
  };
}
