import type { Command } from 'commander';
import { operator } from '../audit/client-audit.ts';
import {
  type KeyTimings,
  keyRemovalDateOf,
  keyStateOf,
  removeKey,
  rotateKeys,
} from '../keys/key-schedule.ts';
import type { StoredKey } from '../keys/key-store.ts';
import { updateKeySet } from '../keys/update-key-set.ts';
import { type CliContext, CliError, withKeys } from './context.ts';
import { addKeyDiscardCommand } from './key-discard-command.ts';
import { toJson, toReadable, toTable } from './output.ts';

/** `keys …`: the keys that tokens are signed with. */
export function addKeyCommands(program: Command, context: CliContext): void {
  const noun = program.command('keys').description('the keys that tokens are signed with');

  noun
    .command('list')
    .description('list the keys, and what each is for now')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const keys = await withKeys(context, async (store, timings) =>
        describe((await store.load()).keys, timings),
      );
      context.print(json ? toJson(keys.map(keyToJson)) : listKeys(keys));
    });

  noun
    .command('rotate')
    .description('let the next key take over as soon as everybody knows it')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const keys = await withKeys(context, async (store, timings, audit) => {
        const at = new Date();
        const rotated = await updateKeySet(store, (stored) => rotate(stored, timings));
        const scheduled = rotated.filter(({ activeFrom }) => activeFrom && activeFrom > at);
        const details = { scheduled: scheduled.map(({ kid }) => kid).join(' ') };
        await audit.record({ ...operator, type: 'keys.rotated', at, clientId: null, details });
        return describe(rotated, timings);
      });
      context.print(json ? toJson(keys.map(keyToJson)) : listKeys(keys));
    });

  addKeyRemoveCommand(noun, context);
  addKeyDiscardCommand(noun, context);
}

/** `keys remove`: for one key that somebody else has learnt. */
function addKeyRemoveCommand(noun: Command, context: CliContext): void {
  noun
    .command('remove')
    .description('give up one key at once, though tokens that it has signed are still alive')
    // No argument: one in 64 key ids begins with a hyphen, and would be taken for an option.
    .requiredOption('--kid <key-id>', 'the key, as keys list shows it')
    .option('--yes', 'do it')
    .option('--json', 'print JSON')
    .action(async ({ kid, yes, json }: { kid: string; yes?: boolean; json?: boolean }) => {
      if (!yes) {
        throw new CliError(
          'Every token that the key has signed is refused from then on: add --yes to do it.',
        );
      }
      const keys = await withKeys(context, async (store, timings, audit) => {
        const at = new Date();
        const kept = await updateKeySet(store, (stored) => remove(stored, kid, at));
        await audit.record({
          ...operator,
          type: 'keys.removed',
          at,
          clientId: null,
          details: { removed: kid },
        });
        return describe(kept, timings);
      });
      context.print(json ? toJson(keys.map(keyToJson)) : listKeys(keys));
    });
}

interface DescribedKey extends Pick<StoredKey, 'kid' | 'algorithm' | 'createdAt' | 'activeFrom'> {
  state: string;
  endsAt: Date | undefined;
}

function rotate(keys: readonly StoredKey[], timings: KeyTimings): readonly StoredKey[] {
  if (!keys.some(({ activeFrom }) => activeFrom === null)) {
    throw new CliError(
      'There is no next key yet: a running server makes one within seconds; try again then.',
    );
  }
  return rotateKeys(keys, new Date(), timings);
}

function remove(keys: readonly StoredKey[], kid: string, now: Date): readonly StoredKey[] {
  if (!keys.some((key) => key.kid === kid)) {
    throw new CliError('There is no such key: keys list shows those that there are.');
  }
  return removeKey(keys, kid, now);
}

function describe(keys: readonly StoredKey[], timings: KeyTimings): DescribedKey[] {
  const now = new Date();
  return keys.map((key) => ({
    ...key,
    state: keyStateOf(key, keys, now),
    endsAt: keyRemovalDateOf(key, keys, timings),
  }));
}

function keyToJson({ kid, algorithm, state, createdAt, activeFrom, endsAt }: DescribedKey) {
  return {
    kid,
    algorithm,
    state,
    created_at: createdAt,
    active_from: activeFrom,
    removed_at: endsAt ?? null,
  };
}

function listKeys(keys: readonly DescribedKey[]): string {
  if (keys.length === 0) return 'There are no keys yet: a server makes them when it starts.\n';
  return toTable(
    ['KEY ID', 'ALGORITHM', 'STATE', 'CREATED', 'SIGNS FROM', 'REMOVED'],
    keys.map(({ kid, algorithm, state, createdAt, activeFrom, endsAt }) => [
      kid,
      algorithm,
      state,
      toReadable(createdAt),
      activeFrom ? toReadable(activeFrom) : 'its rotation',
      endsAt ? toReadable(endsAt) : 'after its rotation',
    ]),
  );
}
