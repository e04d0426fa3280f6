import { describeFailure } from '@keydesk/config';
import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addBackupCommand } from './backup-command.ts';
import { addChangesCommand } from './changes-command.ts';
import type { CliContext } from './context.ts';
import { addGenerateCommand } from './generate-command.ts';
import { addPersonCommands } from './person-commands.ts';

const FAILURE = 1;
const USAGE = 2;

/**
 * Runs one command.
 *
 * @returns exit code: 0 success, 1 failure, 2 invalid arguments
 */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  const program = new Command('helpdesk')
    .version(manifest.version)
    .description('Manages the database of a Keydesk API: STORAGE_URL, or else that of npm start')
    .exitOverride()
    .configureOutput({ writeOut: context.print, writeErr: context.printError })
    .showHelpAfterError('(add --help for usage)');
  addGenerateCommand(program, context);
  addPersonCommands(program, context);
  addBackupCommand(program, context);
  addChangesCommand(program, context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (err) {
    if (err instanceof CommanderError) return err.exitCode === 0 ? 0 : USAGE;
    context.printError(`${describeFailure(err)}\n`);
    return FAILURE;
  }
}
