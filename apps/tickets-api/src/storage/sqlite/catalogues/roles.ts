import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite } from '@keydesk/storage/sqlite';
import type { RoleRecord } from '../../../helpdesk/roles/role.ts';
import type { RoleStore } from '../../../helpdesk/roles/role-store.ts';
import { createCommitAudited, StaleVersion } from '../commit/commit-once.ts';

export function createRoleStore(sqlite: Sqlite): RoleStore {
  const { prepare, read } = sqlite;
  const commit = createCommitAudited(sqlite);
  const selectAll = prepare('SELECT document FROM roles');
  const insert = prepare('INSERT INTO roles (id, version, document) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const update = prepare('UPDATE roles SET version = ?, document = ? WHERE id = ? AND version = ?');

  function replace(role: RoleRecord, expectedVersion: number): void {
    const { id, version } = role;
    const document = JSON.stringify(role);
    if (update.run(version, document, id, expectedVersion).changes > 0) return;
    // A role that is not stored is at version 1.
    if (expectedVersion !== 1 || insert.run(id, version, document).changes === 0) throw new StaleVersion();
  }

  return {
    list: async () =>
      read(() => selectAll.all().map(({ document }) => deepFreeze(JSON.parse(String(document))))),
    replace: (role, expectedVersion, audited) => commit(audited, () => replace(role, expectedVersion)),
  };
}
