import {
  addBackupCommand,
  addCommandGroups,
  addMigrateCommand,
  type CommandGroup,
  createProgram,
  runProgram,
} from '@keydesk/cli';
import manifest from '../../package.json' with { type: 'json' };
import { addTokenCommand } from './keys/token-command.ts';
import type { CliContext } from './kit/context.ts';

const groups: readonly CommandGroup<CliContext>[] = [
  {
    name: 'account',
    description: 'manage user accounts',
    async load() {
      const { addAccountCommands } = await import('./accounts/account-commands.ts');
      const { addIdentityCommands } = await import('./accounts/identity-commands.ts');
      return (group, context) => {
        addAccountCommands(group, context);
        addIdentityCommands(group, context);
      };
    },
  },
  {
    name: 'session',
    description: 'list and end sessions of an account',
    load: async () => (await import('./accounts/session-commands.ts')).addSessionCommands,
  },
  {
    name: 'client',
    description: 'manage OAuth clients',
    load: async () => (await import('./clients/client-commands.ts')).addClientCommands,
  },
  {
    name: 'application',
    description: 'decide requests of developers and manage owners of applications',
    load: async () => (await import('./clients/application-commands.ts')).addApplicationCommands,
  },
  {
    name: 'registration-token',
    description: 'manage initial access tokens for dynamic client registration',
    load: async () => (await import('./clients/registration-token-commands.ts')).addRegistrationTokenCommands,
  },
  {
    name: 'keys',
    description: 'manage the signing keys',
    load: async () => (await import('./keys/key-commands.ts')).addKeyCommands,
  },
  {
    name: 'audit',
    description: 'read and prune the audit log',
    load: async () => (await import('./records/audit-commands.ts')).addAuditCommands,
  },
  {
    name: 'security-event',
    description: 'manage events that wait for resource servers',
    load: async () => (await import('./records/security-event-commands.ts')).addSecurityEventCommands,
  },
];

/**
 * Runs one command.
 *
 * @returns the exit code: 0 success, 1 failure, 2 usage error, 3 a check with a negative result
 */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  const description = 'Manages the accounts, clients and keys of the Keydesk authorization server';
  const program = createProgram({ name: 'keydesk', version: manifest.version, description }, context);
  await addCommandGroups(program, { args, context, groups });
  addBackupCommand(program, { print: context.print, findStorageUrl: () => findStorageUrl(context) });
  addMigrateCommand(program, {
    print: context.print,
    async openMigration() {
      const { openMigration } = await import('../storage/open-storage.ts');
      return openMigration({ url: await findStorageUrl(context) });
    },
  });
  addTokenCommand(program, context);
  return runProgram(program, args, context);
}

async function findStorageUrl({ env }: CliContext): Promise<string> {
  const { loadStorageUrl } = await import('./kit/context.ts');
  return loadStorageUrl(env);
}
