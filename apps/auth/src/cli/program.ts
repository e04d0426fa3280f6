import { describeFailure } from '@keydesk/config';
import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addAccountCommands } from './account-commands.ts';
import { addApplicationCommands } from './application-commands.ts';
import { addAuditCommands } from './audit-commands.ts';
import { addBackupCommand } from './backup-command.ts';
import { addClientCommands } from './client-commands.ts';
import type { CliContext } from './context.ts';
import { addKeyCommands } from './key-commands.ts';
import { addRegistrationTokenCommands } from './registration-token-commands.ts';
import { addTokenCommand } from './token-command.ts';

const FAILURE = 1;
const USAGE = 2;

/**
 * Runs one command.
 *
 * @returns the exit code: 0 success, 1 failure, 2 usage error
 */
export async function runCli(
  args: readonly string[],
  context: CliContext & { printError: (text: string) => void },
): Promise<number> {
  const program = new Command('keydesk')
    .version(manifest.version)
    .description('Manage the accounts, clients and keys of the Keydesk authorization server')
    .exitOverride()
    .configureOutput({ writeOut: context.print, writeErr: context.printError })
    .showHelpAfterError('(use --help for usage)');
  addAccountCommands(program, context);
  addClientCommands(program, context);
  addApplicationCommands(program, context);
  addRegistrationTokenCommands(program, context);
  addKeyCommands(program, context);
  addAuditCommands(program, context);
  addBackupCommand(program, context);
  addTokenCommand(program, context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (err) {
    if (err instanceof CommanderError) return err.exitCode === 0 ? 0 : USAGE;
    context.printError(`${describeFailure(err)}\n`);
    return FAILURE;
  }
}
