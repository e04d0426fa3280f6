import {
  addBackupCommand,
  addCommandGroups,
  addMigrateCommand,
  type CommandGroup,
  createProgram,
  runProgram,
} from '@keydesk/cli';
import manifest from '../../package.json' with { type: 'json' };
import { openMigration } from '../storage/open-storage.ts';
import { removeEpoch } from '../storage/sqlite/feed/epoch.ts';
import { type CliContext, loadStorageUrl } from './context.ts';
import { addGenerateCommand } from './generate-command.ts';

const people: CommandGroup<CliContext> = {
  name: 'person',
  description: 'manage people that tickets refer to',
  load: async () => (await import('./person-commands.ts')).addPersonCommands,
};

const changes: CommandGroup<CliContext> = {
  name: 'changes',
  description: 'manage the change feed',
  load: async () => (await import('./changes-command.ts')).addChangesCommand,
};

/**
 * Runs one command.
 *
 * @returns exit code: 0 success, 1 failure, 2 invalid arguments, 3 a check with a negative result
 */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  const description = 'Manages the database of a Keydesk API: STORAGE_URL, or else that of npm start';
  const program = createProgram({ name: 'helpdesk', version: manifest.version, description }, context);
  addGenerateCommand(program, context);
  await addCommandGroups(program, { args, context, groups: [people] });
  addBackupCommand(program, {
    print: context.print,
    findStorageUrl: () => loadStorageUrl(context.env),
    finish: removeEpoch,
  });
  addMigrateCommand(program, {
    print: context.print,
    openMigration: () => openMigration(loadStorageUrl(context.env)),
  });
  await addCommandGroups(program, { args, context, groups: [changes] });
  return runProgram(program, args, context);
}
