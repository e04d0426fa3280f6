import { type Command, InvalidArgumentError } from 'commander';
import { v7 as uuidv7 } from 'uuid';
import { erasePerson, previewErasure } from '../erasure/erase-person.ts';
import { emailAddress } from '../people/person.ts';
import { type CliContext, withExistingStorage } from './context.ts';

interface EraseOptions {
  yes?: boolean;
  compact?: boolean;
}

/** `person …`: whom tickets refer to. */
export function addPersonCommands(program: Command, context: CliContext): void {
  program
    .command('person')
    .description('whom tickets refer to')
    .command('erase')
    .description('replace the address and name of a person everywhere; what they wrote stays')
    .argument('<email>', 'their address', parseEmail)
    .option('--yes', 'do it; without, only what would be done is told')
    .option('--compact', 'also write the SQLite file anew, so that it keeps no former contents; writers wait')
    .action((email: string, options: EraseOptions) =>
      withExistingStorage(context, async (storage) => {
        const deps = { storage, now: () => new Date(), newId: uuidv7 };
        const { isKnown, tickets } = await (options.yes ? erasePerson : previewErasure)(deps, email);
        if (options.yes && options.compact) await storage.erasure.compact();
        const who = isKnown ? 'One person' : 'Nobody with an entry of their own';
        const done = options.yes ? 'was erased' : 'would be erased (add --yes to do it)';
        context.print(`${who} and what ${tickets} tickets tell of the address ${done}.\n`);
      }),
    );
}

function parseEmail(text: string): string {
  const parsed = emailAddress.safeParse(text);
  if (!parsed.success) throw new InvalidArgumentError('It must be an e-mail address.');
  return parsed.data;
}
