import { type Command, InvalidArgumentError } from 'commander';
import { v7 as uuidv7 } from 'uuid';
import { erasePerson, previewErasure } from '../helpdesk/erasure/erase-person.ts';
import { emailAddress } from '../helpdesk/people/person.ts';
import { type CliContext, withExistingStorage } from './context.ts';

interface EraseOptions {
  yes?: boolean;
  compact?: boolean;
}

/** Adds the commands `person …`. */
export function addPersonCommands(group: Command, context: CliContext): void {
  group
    .command('erase')
    .description('replace the address and name of a person everywhere; keeps what they wrote')
    .argument('<email>', 'e-mail address of the person', parseEmail)
    .option('--yes', 'apply the change (default: dry run)')
    .option('--compact', 'also rewrite the SQLite file without deleted data; blocks writers')
    .action((email: string, options: EraseOptions) =>
      withExistingStorage(context, async (storage) => {
        const deps = { storage, now: () => new Date(), newId: uuidv7 };
        const { isKnown, tickets } = await (options.yes ? erasePerson : previewErasure)(deps, email);
        if (options.yes && options.compact) await storage.erasure.compact();
        const subject = isKnown ? 'one person and their address' : 'the address (no person has it)';
        const [verb, hint] = options.yes ? ['Erased', ''] : ['Would erase', '; add --yes to apply'];
        context.print(`${verb} ${subject} in ${tickets} tickets${hint}.\n`);
      }),
    );
}

function parseEmail(text: string): string {
  const parsed = emailAddress.safeParse(text);
  if (!parsed.success) throw new InvalidArgumentError('Must be an e-mail address.');
  return parsed.data;
}
