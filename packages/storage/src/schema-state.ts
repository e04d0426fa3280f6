/** Schema of a database beside that of this program. Versions are whole numbers that grow. */
export interface SchemaState {
  /** Version of the database; `undefined` if it does not exist or is empty. */
  found: number | undefined;
  /** Version of this program. */
  supported: number;
  /** Missing steps, collections and indexes, one phrase each. */
  due: readonly string[];
  /** Whether processes that use the found version can keep running during and after the migration. */
  isExpansion: boolean;
}

/** Migration of one database, without a server. */
export interface SchemaMigration {
  /** Returns the state of the database and changes nothing. */
  inspect(): Promise<SchemaState>;
  /** Runs the pending migrations, and returns the state before them. Several processes may run it at the same time. */
  run(): Promise<SchemaState>;
}

/** Returns the reason why a program that must not migrate refuses a database. */
export function describeDue({ found, supported, due }: SchemaState): string {
  const state = found === undefined ? 'does not exist' : `has schema ${found}`;
  const missing = due.length === 1 ? due[0] : `${due.length} steps`;
  return `it ${state}, this version needs schema ${supported} (${missing} missing), and MIGRATE_AT_START is false; run the command migrate first`;
}

/** Returns the reason why a program refuses the database of a newer one. */
export function describeNewer(found: { version: number; oldestReader: number }, supported: number): string {
  const { version, oldestReader } = found;
  return `was written by a newer Keydesk (schema ${version}; programs need schema ${oldestReader} or later, and this version has ${supported})`;
}
