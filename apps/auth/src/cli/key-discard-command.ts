import type { Command } from 'commander';
import { operator } from '../audit/client-audit.ts';
import { discardSealed } from '../keys/discard-sealed.ts';
import { type CliContext, CliError, withSealed } from './context.ts';

/** `keys discard`: for a master secret that was lost, or that somebody else has learnt. */
export function addKeyDiscardCommand(noun: Command, context: CliContext): void {
  noun
    .command('discard')
    .description('give up the keys, sessions and consents, so that servers start under another master secret')
    .option('--yes', 'do it; stop the servers first')
    .action(async ({ yes }: { yes?: boolean }) => {
      if (!yes) {
        throw new CliError(
          'Everybody is signed out, every consent is asked for again and the secrets of clients no longer work: ' +
            'stop the servers, and add --yes to do it.',
        );
      }
      await withSealed(context, async (sealed, audit) => {
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
        'What was sealed with the master secret is gone. Start the servers with another one, then give each client ' +
          'a new secret: client rotate-secret <client-id> --overlap 0.\n',
      );
    });
}
