import type { SchemaState } from '@keydesk/storage/schema-state';
import { expect, it } from 'vitest';
import { addMigrateCommand, createProgram, runProgram } from './index.ts';

const current: SchemaState = { found: 14, supported: 14, due: [], isExpansion: true };
const expansion: SchemaState = { found: 14, supported: 15, due: ['schema step 15'], isExpansion: true };

/** Runs the command on a database in this state. */
async function run(state: SchemaState, ...args: string[]) {
  let [stdout, stderr] = ['', ''];
  const calls: string[] = [];
  const output = {
    print: (text: string) => {
      stdout += text;
    },
    printError: (text: string) => {
      stderr += text;
    },
  };
  const act = async (name: string) => {
    calls.push(name);
    return state;
  };
  const program = createProgram({ name: 'notes', version: '1', description: 'Notes' }, output);
  const migration = { inspect: () => act('inspect'), run: () => act('run') };
  addMigrateCommand(program, { print: output.print, openMigration: async () => migration });
  const code = await runProgram(program, ['migrate', ...args], output);
  expect([stderr, calls]).toEqual(['', [args.includes('--check') ? 'inspect' : 'run']]);
  return { code, stdout };
}

it.each([
  ['up to date', current, 'The database is up to date (schema 14).\n'],
  ['new', { ...expansion, found: undefined }, 'The database was created with schema 15.\n'],
  ['older', expansion, 'The database was migrated from schema 14 to 15:\n  schema step 15\n'],
  [
    'without an index',
    { ...current, due: ['index a_1 of b'] },
    'The database (schema 14) was completed:\n  index a_1 of b\n',
  ],
  [
    'newer',
    { ...current, found: 15 },
    'The database has schema 15 of a newer version; this version (schema 14) can use it.\n',
  ],
] as const)('migrates a database that is %s, and says what it did', async (_, state, stdout) => {
  expect(await run(state)).toEqual({ code: 0, stdout });
});

it.each([
  ['can keep running', expansion, 'Running servers of the version before can keep running.'],
  ['must stop', { ...expansion, isExpansion: false }, 'Stop all servers of earlier versions first'],
])(
  'with --check, exits with 3 when a migration is due, and says that running servers %s',
  async (_, state, advice) => {
    const { code, stdout } = await run(state, '--check');
    expect([code, stdout]).toEqual([3, expect.stringContaining(advice)]);
    expect(stdout).toMatch(
      /^The database has schema 14; this version has schema 15\. Due:\n {2}schema step 15\n/,
    );
  },
);

it('with --check, exits with 0 when nothing is due', async () => {
  expect((await run(current, '--check')).code).toBe(0);
  const missing = { ...expansion, found: undefined };
  expect(await run(missing, '--check')).toMatchObject({
    code: 3,
    stdout: 'The database does not exist; the command migrate creates it with schema 15.\n',
  });
});
