import { addBackupCommand, addMigrateCommand, createProgram, runProgram } from '@keydesk/cli';
import manifest from '../../package.json' with { type: 'json' };
import { openMigration } from '../storage/open-storage.ts';
import { addAccountCommands } from './accounts/account-commands.ts';
import { addIdentityCommands } from './accounts/identity-commands.ts';
import { addSessionCommands } from './accounts/session-commands.ts';
import { addApplicationCommands } from './clients/application-commands.ts';
import { addClientCommands } from './clients/client-commands.ts';
import { addRegistrationTokenCommands } from './clients/registration-token-commands.ts';
import { addKeyCommands } from './keys/key-commands.ts';
import { addTokenCommand } from './keys/token-command.ts';
import { type CliContext, storageUrlOf } from './kit/context.ts';
import { addAuditCommands } from './records/audit-commands.ts';
import { addSecurityEventCommands } from './records/security-event-commands.ts';

/**
 * Runs one command.
 *
 * @returns the exit code: 0 success, 1 failure, 2 usage error, 3 a check with a negative result
 */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  const description = 'Manages the accounts, clients and keys of the Keydesk authorization server';
  const program = createProgram({ name: 'keydesk', version: manifest.version, description }, context);
  addIdentityCommands(addAccountCommands(program, context), context);
  addSessionCommands(program, context);
  addClientCommands(program, context);
  addApplicationCommands(program, context);
  addRegistrationTokenCommands(program, context);
  addKeyCommands(program, context);
  addAuditCommands(program, context);
  addSecurityEventCommands(program, context);
  addBackupCommand(program, { print: context.print, findStorageUrl: () => storageUrlOf(context.env) });
  addMigrateCommand(program, {
    print: context.print,
    openMigration: () => openMigration({ url: storageUrlOf(context.env) }),
  });
  addTokenCommand(program, context);
  return runProgram(program, args, context);
}
