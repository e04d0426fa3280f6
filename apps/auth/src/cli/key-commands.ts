import type { Command } from 'commander';
import { operator } from '../audit/client-audit.ts';
import { endOf, type KeyTimings, rotateKeys, stateOf } from '../keys/key-schedule.ts';
import type { KeyStore, StoredKey } from '../keys/key-store.ts';
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
        const rotated = await rotate(store, timings);
        const scheduled = rotated.filter(({ activeFrom }) => activeFrom && activeFrom > at);
        const details = { scheduled: scheduled.map(({ kid }) => kid).join(' ') };
        await audit.record({ ...operator, type: 'keys.rotated', at, clientId: null, details });
        return describe(rotated, timings);
      });
      context.print(json ? toJson(keys.map(keyToJson)) : listKeys(keys));
    });

  addKeyDiscardCommand(noun, context);
}

interface DescribedKey extends Pick<StoredKey, 'kid' | 'algorithm' | 'createdAt' | 'activeFrom'> {
  state: string;
  endsAt: Date | undefined;
}

async function rotate(store: KeyStore, timings: KeyTimings): Promise<readonly StoredKey[]> {
  for (;;) {
    const { keys, revision } = await store.load();
    if (!keys.some(({ activeFrom }) => activeFrom === null)) {
      throw new CliError(
        'There is no next key yet: a running server makes one within seconds; try again then.',
      );
    }
    const rotated = rotateKeys(keys, new Date(), timings);
    if (await store.save(rotated, revision)) return rotated;
  }
}

function describe(keys: readonly StoredKey[], timings: KeyTimings): DescribedKey[] {
  const now = new Date();
  return keys.map((key) => ({ ...key, state: stateOf(key, keys, now), endsAt: endOf(key, keys, timings) }));
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
