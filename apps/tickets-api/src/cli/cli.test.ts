import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from './program.ts';

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'keydesk-helpdesk-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  let [stdout, stderr] = ['', ''];
  const code = await runCli(args, {
    env: { DATA_DIR: folder, ...env },
    print: (text) => {
      stdout += text;
    },
    printError: (text) => {
      stderr += text;
    },
    isTerminal: false,
  });
  return { code, stdout, stderr };
}

describe('the helpdesk command', () => {
  it('says what it can do', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('generate');
  });

  it('generates into the database of the data folder, telling how far it is', async () => {
    const { code, stdout, stderr } = await run(['generate', '--tickets', '20', '--replies', '40']);
    expect(stderr).toContain('20 of 20 tickets');
    expect([code, stdout]).toEqual([0, '20 tickets and 40 replies were added.\n']);
  });

  it.each([
    ['unknown'],
    ['generate'],
    ['generate', '--tickets', 'many', '--replies', '1'],
    ['generate', '--tickets', '1', '--replies', '1', '--until', 'tomorrow'],
  ])('refuses what it does not understand: %s', async (...args) => {
    expect((await run(args)).code).toBe(2);
  });

  it('tells in one line why it cannot do something', async () => {
    const { code, stderr } = await run(['generate', '--tickets', '1', '--replies', '1'], {
      STORAGE_URL: 'x:y',
    });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
