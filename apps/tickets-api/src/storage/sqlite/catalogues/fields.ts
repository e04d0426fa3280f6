import type { StatementResultingChanges } from 'node:sqlite';
import { AppError } from '@keydesk/server';
import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite } from '@keydesk/storage/sqlite';
import type { FieldStore } from '../../../helpdesk/fields/field-store.ts';
import { MAX_FIELDS, type TicketField, tooManyFields } from '../../../helpdesk/fields/ticket-field.ts';
import { createCommitAudited, StaleVersion } from '../commit/commit-once.ts';

export function createFieldStore(sqlite: Sqlite): FieldStore {
  const { prepare, read } = sqlite;
  const commit = createCommitAudited(sqlite);
  const selectAll = prepare('SELECT document FROM ticket_fields');
  const selectById = prepare('SELECT document FROM ticket_fields WHERE id = ?');
  const count = prepare('SELECT count(*) AS count FROM ticket_fields');
  const insert = prepare(`
    INSERT INTO ticket_fields (id, key, version, document) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`);
  const update = prepare('UPDATE ticket_fields SET version = ?, document = ? WHERE id = ? AND version = ?');
  const remove = prepare('DELETE FROM ticket_fields WHERE id = ? AND version = ?');

  function add(field: TicketField): void {
    if (Number(count.get()?.count) >= MAX_FIELDS) throw tooManyFields();
    const { changes } = insert.run(field.id, field.key, field.version, JSON.stringify(field));
    if (changes === 0)
      throw new AppError('conflict', 'A field with this key already exists; choose another key.');
  }

  return {
    list: async () => read(() => selectAll.all().map(toField)),
    find: async (id) =>
      read(() => {
        const row = selectById.get(id);
        return row && toField(row);
      }),
    add: (field, audited) => commit(audited, () => add(field)),
    replace: (field, expectedVersion, audited) =>
      commit(audited, () =>
        assertWritten(update.run(field.version, JSON.stringify(field), field.id, expectedVersion)),
      ),
    remove: (id, expectedVersion, audited) =>
      commit(audited, () => assertWritten(remove.run(id, expectedVersion))),
  };
}

function assertWritten({ changes }: StatementResultingChanges): void {
  if (changes === 0) throw new StaleVersion();
}

function toField({ document }: Record<string, unknown>): TicketField {
  return deepFreeze(JSON.parse(String(document)));
}
