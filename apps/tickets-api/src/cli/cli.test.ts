import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from './program.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keydesk-helpdesk-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function run(args: readonly string[], env: Record<string, string> = {}, isTerminal = false) {
  const folder = await newFolder();
  let [stdout, stderr] = ['', ''];
  const code = await runCli(args, {
    env: { DATA_DIR: folder, ...env },
    print: (text) => {
      stdout += text;
    },
    printError: (text) => {
      stderr += text;
    },
    isTerminal,
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

  it('draws a bar on a terminal, each over the one before, and ends it with a line', async () => {
    const { stderr } = await run(['generate', '--tickets', '20', '--replies', '40'], {}, true);
    const bars = stderr.split('\r').slice(1);
    for (const bar of bars) expect(bar).toMatch(/^\[#*\.*\] \d+ of 20 tickets, \d+\/s, \d+ s/);
    expect(bars.at(-1)).toMatch(/^\[#{30}\] 20 of 20 .*\n$/);
  });

  it('tells what an erasure would do, and does it when told to', async () => {
    const folder = await newFolder();
    await run(['generate', '--tickets', '20', '--replies', '40'], { DATA_DIR: folder });
    const erase = (...args: string[]) =>
      run(['person', 'erase', 'customer0@company0.example', ...args], { DATA_DIR: folder });
    expect((await erase()).stdout).toMatch(/^One person and what \d+ tickets tell .* would be erased/);
    expect((await erase('--yes', '--compact')).stdout).toMatch(
      /^One person and what \d+ tickets tell .* was erased/,
    );
    expect((await erase()).stdout).toMatch(/^Nobody with an entry of their own and what 0 tickets/);
  });

  it('copies the database, out of which everything can be read again', async () => {
    const [folder, restored] = [await newFolder(), await newFolder()];
    await run(['generate', '--tickets', '20', '--replies', '40'], { DATA_DIR: folder });
    const { code, stdout } = await run(['backup', join(restored, 'tickets.db')], { DATA_DIR: folder });
    expect([code, stdout]).toEqual([0, expect.stringContaining('was copied to')]);
    const preview = ['person', 'erase', 'customer0@company0.example'];
    const { stdout: original } = await run(preview, { DATA_DIR: folder });
    expect((await run(preview, { DATA_DIR: restored })).stdout).toBe(original);
  });

  it('lets applications start over that follow the changes of a database, once it was restored', async () => {
    const env = { DATA_DIR: await newFolder() };
    await run(['generate', '--tickets', '1', '--replies', '1'], env);
    expect(await run(['changes', 'restart'], env)).toMatchObject({ code: 0, stderr: '' });
  });

  it('reads where the database is from the file of STORAGE_URL_FILE, as the server does', async () => {
    const folder = await newFolder();
    const env = { STORAGE_URL_FILE: join(folder, 'storage-url') };
    await writeFile(env.STORAGE_URL_FILE, `sqlite:${join(folder, 'elsewhere.db')}\n`);
    const { code, stderr } = await run(['changes', 'restart'], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('elsewhere.db')]);
  });

  it('works on MongoDB where npm start does', async () => {
    const env = { MONGODB_URL: `mongodb://127.0.0.1:${await findFreePort()}/` };
    const { code, stderr } = await run(['person', 'erase', 'ada@example.com'], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('MongoDB cannot be used')]);
  });

  it('erases nobody from a database that is not there', async () => {
    const { code, stderr } = await run(['person', 'erase', 'ada@example.com', '--yes']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('No readable database')]);
  });

  it.each([
    ['unknown'],
    ['person', 'erase', 'nobody'],
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
