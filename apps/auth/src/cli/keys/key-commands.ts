import type { Command } from 'commander';
import { operator } from '../../audit/client-audit.ts';
import {
  type KeyTimings,
  keyRemovalDateOf,
  keyStateOf,
  removeKey,
  rotateKeys,
} from '../../keys/key-schedule.ts';
import type { StoredKey } from '../../keys/key-store.ts';
import { updateKeySet } from '../../keys/key-store.ts';
import { type CliContext, CliError, withKeys } from '../kit/context.ts';
import { formatTime, toJson, toTable } from '../kit/output.ts';
import { addKeyDiscardCommand } from './key-discard-command.ts';

/** Adds the commands `keys …`. */
export function addKeyCommands(group: Command, context: CliContext): void {
  group
    .command('list')
    .description('list the keys and their states')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const keys = await withKeys(context, async (store, timings) =>
        describe((await store.load()).keys, timings),
      );
      context.print(json ? toJson(keys.map(keyToJson)) : listKeys(keys));
    });

  group
    .command('rotate')
    .description('activate the next key as soon as it has been published long enough')
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

  addKeyRemoveCommand(group, context);
  addKeyDiscardCommand(group, context);
}

/** Adds the command `keys remove`, which removes a compromised key. */
function addKeyRemoveCommand(group: Command, context: CliContext): void {
  group
    .command('remove')
    .description('remove a key at once; tokens signed with it become invalid')
    // An option, not an argument: one in 64 key ids begins with a hyphen and would be parsed as an option.
    .requiredOption('--kid <key-id>', 'key id, as printed by keys list')
    .option('--yes', 'apply the change (required)')
    .option('--json', 'print JSON')
    .action(async ({ kid, yes, json }: { kid: string; yes?: boolean; json?: boolean }) => {
      if (!yes) {
        throw new CliError('All tokens signed with this key become invalid; pass --yes to remove it.');
      }
      const keys = await withKeys(context, async (store, timings, audit) => {
        const at = new Date();
        const remaining = await updateKeySet(store, (stored) => remove(stored, kid, at));
        await audit.record({
          ...operator,
          type: 'keys.removed',
          at,
          clientId: null,
          details: { removed: kid },
        });
        return describe(remaining, timings);
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
      'No next key exists yet; a running server creates one within seconds, so try again then.',
    );
  }
  return rotateKeys(keys, new Date(), timings);
}

function remove(keys: readonly StoredKey[], kid: string, now: Date): readonly StoredKey[] {
  if (!keys.some((key) => key.kid === kid)) {
    throw new CliError('No such key; keys list prints all keys.');
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
  if (keys.length === 0) return 'No keys found; the server creates them when it starts.\n';
  return toTable(
    ['KEY ID', 'ALGORITHM', 'STATE', 'CREATED', 'SIGNS FROM', 'REMOVED'],
    keys.map(({ kid, algorithm, state, createdAt, activeFrom, endsAt }) => [
      kid,
      algorithm,
      state,
      formatTime(createdAt),
      activeFrom ? formatTime(activeFrom) : 'its rotation',
      endsAt ? formatTime(endsAt) : 'after its rotation',
    ]),
  );
}
