import { addBackupCommand, addMigrateCommand, createProgram, runProgram } from '@keydesk/cli';
import manifest from '../../package.json' with { type: 'json' };
import { openMigration } from '../storage/open-storage.ts';
import { removeEpoch } from '../storage/sqlite/feed/epoch.ts';
import { addChangesCommand } from './changes-command.ts';
import { type CliContext, storageUrlOf } from './context.ts';
import { addGenerateCommand } from './generate-command.ts';
import { addPersonCommands } from './person-commands.ts';

/**
 * Runs one command.
 *
 * @returns exit code: 0 success, 1 failure, 2 invalid arguments, 3 a check with a negative result
 */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  const description = 'Manages the database of a Keydesk API: STORAGE_URL, or else that of npm start';
  const program = createProgram({ name: 'helpdesk', version: manifest.version, description }, context);
  addGenerateCommand(program, context);
  addPersonCommands(program, context);
  addBackupCommand(program, {
    print: context.print,
    findStorageUrl: () => storageUrlOf(context.env),
    finish: removeEpoch,
  });
  addMigrateCommand(program, {
    print: context.print,
    openMigration: () => openMigration(storageUrlOf(context.env)),
  });
  addChangesCommand(program, context);
  return runProgram(program, args, context);
}
