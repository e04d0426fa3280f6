import type { StatementResultingChanges } from 'node:sqlite';
import { deepFreeze } from '@keydesk/storage/deep-freeze';
import type { Sqlite } from '@keydesk/storage/sqlite';
import { findBuiltIn, maxAdded } from '../../../helpdesk/definitions/built-in.ts';
import {
  definedAlready,
  definitionInUse,
  isReplacement,
  noLongerChoosable,
  noReplacement,
  tooManyDefinitions,
} from '../../../helpdesk/definitions/conflicts.ts';
import type { Definition, DefinitionKind, DefinitionRef } from '../../../helpdesk/definitions/definition.ts';
import type { DefinitionStore } from '../../../helpdesk/definitions/definition-store.ts';
import { createCommitAudited, StaleVersion } from '../commit/commit-once.ts';

/**
 * Asserts that definitions can be chosen for a ticket, within one transaction. @throws {AppError} `validation_failed`
 */
export type DefinitionGuard = (chosen: readonly DefinitionRef[]) => void;

export function createDefinitionGuard({ prepare }: Sqlite): DefinitionGuard {
  const select = prepare('SELECT 1 FROM definitions WHERE kind = ? AND id = ? AND replaced_by IS NULL');
  return (chosen) => {
    const missing = chosen.find(({ kind, id }) => !select.get(kind, id));
    if (missing) throw noLongerChoosable(missing);
  };
}

export function createDefinitionStore(sqlite: Sqlite): DefinitionStore {
  const { prepare, read } = sqlite;
  const commit = createCommitAudited(sqlite);
  const selectAll = prepare('SELECT document FROM definitions');
  const selectOne = prepare('SELECT document FROM definitions WHERE kind = ? AND id = ?');
  const count = prepare('SELECT count(*) AS count FROM definitions WHERE kind = ? AND NOT is_built_in');
  const insert = prepare(`
    INSERT INTO definitions (kind, id, version, is_built_in, replaced_by, document)
    VALUES (:kind, :id, :version, :isBuiltIn, :replacedBy, :document) ON CONFLICT DO NOTHING`);
  const update = prepare(`
    UPDATE definitions SET
      version = :version, is_built_in = :isBuiltIn, replaced_by = :replacedBy, document = :document
    WHERE kind = :kind AND id = :id AND version = :expected`);
  const remove = prepare('DELETE FROM definitions WHERE kind = ? AND id = ? AND version = ?');
  const selectReplaced = prepare('SELECT 1 FROM definitions WHERE kind = ? AND replaced_by = ?');
  const users = prepareUsers(sqlite);

  function find({ kind, id }: DefinitionRef): Definition | undefined {
    const row = selectOne.get(kind, id);
    return row && toDefinition(row);
  }

  function add(definition: Definition): void {
    if (Number(count.get(definition.kind)?.count) >= maxAdded(definition.kind)) {
      throw tooManyDefinitions(definition);
    }
    if (insert.run(toRow(definition)).changes === 0) throw definedAlready(definition);
  }

  function replace(definition: Definition, expected: number): void {
    const isUnstored = definition.built_in && expected === 1 && !find(definition);
    const row = toRow(definition);
    assertWritten(isUnstored ? insert.run(row) : update.run({ ...row, expected }));
    if (definition.replaced_by !== null) assertReplaceable(definition, definition.replaced_by);
  }

  function assertReplaceable({ kind, id }: Definition, by: string): void {
    const replacement = { kind, id: by };
    if (!findBuiltIn(replacement) && find(replacement)?.replaced_by !== null)
      throw noReplacement(replacement);
    assertNoReplacement({ kind, id });
  }

  function assertNoReplacement(ref: DefinitionRef): void {
    if (selectReplaced.get(ref.kind, ref.id)) throw isReplacement(ref);
  }

  return {
    list: async () => read(() => selectAll.all().map(toDefinition)),
    find: async (ref) => read(() => find(ref)),
    add: (definition, audited) => commit(audited, () => add(definition)),
    replace: (definition, expectedVersion, audited) =>
      commit(audited, () => replace(definition, expectedVersion)),
    remove: (ref, expectedVersion, audited) =>
      commit(audited, () => {
        assertWritten(remove.run(ref.kind, ref.id, expectedVersion));
        assertNoReplacement(ref);
        if (users[ref.kind].some((select) => select.get(ref.id))) throw definitionInUse(ref);
      }),
  };
}

/** Prepares statements that find a ticket with a definition, by an index for each kind. */
function prepareUsers({ prepare }: Sqlite) {
  const toStatements = (column: DefinitionKind) => [
    prepare(`
      SELECT 1 FROM tickets INDEXED BY tickets_by_${column}_created_at
      WHERE ${column} = ? AND deleted_at IS NULL LIMIT 1`),
    prepare(`
      SELECT 1 FROM tickets INDEXED BY deleted_tickets_by_created_at
      WHERE ${column} = ? AND deleted_at IS NOT NULL LIMIT 1`),
  ];
  return {
    status: toStatements('status'),
    type: toStatements('type'),
    priority: toStatements('priority'),
  };
}

function assertWritten({ changes }: StatementResultingChanges): void {
  if (changes === 0) throw new StaleVersion();
}

function toRow(definition: Definition) {
  const { kind, id, version, built_in, replaced_by } = definition;
  const document = JSON.stringify(definition);
  return { kind, id, version, isBuiltIn: Number(built_in), replacedBy: replaced_by, document };
}

function toDefinition({ document }: Record<string, unknown>): Definition {
  return deepFreeze(JSON.parse(String(document)));
}
