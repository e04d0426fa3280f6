import type { Command } from 'commander';
import { discardSealed } from '../../artifacts/discard-sealed.ts';
import { operator } from '../../audit/client-audit.ts';
import { type CliContext, CliError, withSealedData } from '../kit/context.ts';

/** Adds the command `keys discard`, which handles a lost or compromised master secret. */
export function addKeyDiscardCommand(group: Command, context: CliContext): void {
  group
    .command('discard')
    .description('delete keys, sessions and consents, so that servers can start with another master secret')
    .option('--yes', 'apply the change (required); stop the servers first')
    .action(async ({ yes }: { yes?: boolean }) => {
      if (!yes) {
        throw new CliError(
          'All users are signed out, all consents are deleted and all client secrets become invalid; ' +
            'stop the servers, then pass --yes.',
        );
      }
      await withSealedData(context, async (sealed, audit) => {
        await discardSealed(sealed);
        await audit.record({
          ...operator,
          type: 'keys.discarded',
          at: new Date(),
          clientId: null,
          details: {},
        });
      });
      context.print(
        'All data sealed with the master secret was deleted. Start the servers with a new one, then rotate the secret of ' +
          'each client: client rotate-secret <client-id> --overlap 0.\n',
      );
    });
}
