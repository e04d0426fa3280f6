import type { SchemaMigration, SchemaState } from '@keydesk/storage/schema-state';
import type { Command } from 'commander';
import { CheckFailure } from './program.ts';

export interface MigrateCommandOptions {
  print: (text: string) => void;
  /** Opens the migration of the configured database. */
  openMigration(): Promise<SchemaMigration>;
}

/** Adds the command `migrate`, which brings the database to the schema of this version without a server. */
export function addMigrateCommand(program: Command, { print, openMigration }: MigrateCommandOptions): void {
  program
    .command('migrate')
    .description('migrate the database to the schema of this version before its servers start')
    .option('--check', 'change nothing; exit with 3 when a migration is due')
    .action(async ({ check = false }: { check?: boolean }) => {
      const migration = await openMigration();
      const before = check ? await migration.inspect() : await migration.run();
      const isDue = check && before.due.length > 0;
      print(isDue ? describeDue(before) : describeDone(before));
      if (isDue) throw new CheckFailure();
    });
}

function describeDue({ found, supported, due, isExpansion }: SchemaState): string {
  if (found === undefined)
    return `The database does not exist; the command migrate creates it with schema ${supported}.\n`;
  const advice = isExpansion
    ? 'Running servers of the version before can keep running.'
    : 'Stop all servers of earlier versions first: they cannot use the new schema.';
  return `The database has schema ${found}; this version has schema ${supported}. Due:\n${toList(due)}${advice}\n`;
}

/** Describes what a run has done, given the state before it. */
function describeDone(state: SchemaState): string {
  const { found, supported, due } = state;
  if (found !== undefined && found > supported)
    return `The database has schema ${found} of a newer version; this version (schema ${supported}) can use it.\n`;
  if (due.length === 0) return `The database is up to date (schema ${supported}).\n`;
  if (found === undefined) return `The database was created with schema ${supported}.\n`;
  const done =
    found === supported
      ? `(schema ${found}) was completed`
      : `was migrated from schema ${found} to ${supported}`;
  return `The database ${done}:\n${toList(due)}`;
}

function toList(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join('');
}
