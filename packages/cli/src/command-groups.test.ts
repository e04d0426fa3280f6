import { expect, it } from 'vitest';
import { addCommandGroups, createProgram, runProgram } from './index.ts';

/** Runs a command of a program with two groups. */
async function run(...args: string[]) {
  const [printed, loaded]: [string[], string[]] = [[], []];
  const output = { print: (text: string) => void printed.push(text), printError: () => undefined };
  const program = createProgram({ name: 'notes', version: '1', description: 'Notes' }, output);
  const groups = ['page', 'label'].map((name) => ({
    name,
    description: `manage ${name}s`,
    async load() {
      loaded.push(name);
      return (group: typeof program, { print }: typeof output) =>
        void group.command('list').action(() => print(`list of ${name}s`));
    },
  }));
  await addCommandGroups(program, { args, context: output, groups });
  const code = await runProgram(program, args, output);
  return { code, printed: printed.join(''), loaded };
}

it('loads only the group of the command', async () => {
  expect(await run('label', 'list')).toEqual({ code: 0, printed: 'list of labels', loaded: ['label'] });
});

it('loads no group for the help of the program, which lists them all', async () => {
  const { code, printed, loaded } = await run('--help');
  expect([code, loaded]).toEqual([0, []]);
  expect(printed).toMatch(/^ {2}page +manage pages\n {2}label +manage labels$/m);
});

it.each([[['label', '--help']], [['help', 'label']]])(
  'lists the commands of a group with %j',
  async (args) => {
    const { code, printed } = await run(...args);
    expect(code).toBe(0);
    expect(printed).toMatch(/^Usage: notes label [\s\S]*^ {2}list$/m);
  },
);
