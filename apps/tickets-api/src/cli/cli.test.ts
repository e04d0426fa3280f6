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
  it('prints its help', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('generate');
  });

  it('generates data in the database of the data folder and reports its progress', async () => {
    const { code, stdout, stderr } = await run(['generate', '--tickets', '20', '--replies', '40']);
    expect(stderr).toContain('20 of 20 tickets');
    expect([code, stdout]).toEqual([0, 'Added 20 tickets and 40 replies.\n']);
  });

  it('draws a progress bar in place on a terminal, and ends it with a newline', async () => {
    const { stderr } = await run(['generate', '--tickets', '20', '--replies', '40'], {}, true);
    const bars = stderr.split('\r').slice(1);
    for (const bar of bars) expect(bar).toMatch(/^\[#*\.*\] \d+ of 20 tickets, \d+\/s, \d+ s/);
    expect(bars.at(-1)).toMatch(/^\[#{30}\] 20 of 20 .*\n$/);
  });

  it('previews an erasure, and applies it with --yes', async () => {
    const folder = await newFolder();
    await run(['generate', '--tickets', '20', '--replies', '40'], { DATA_DIR: folder });
    const erase = (...args: string[]) =>
      run(['person', 'erase', 'customer0@company0.example', ...args], { DATA_DIR: folder });
    expect((await erase()).stdout).toMatch(
      /^Would erase one person and their address in \d+ tickets; add --yes to apply/,
    );
    expect((await erase('--yes', '--compact')).stdout).toMatch(
      /^Erased one person and their address in \d+ tickets/,
    );
    expect((await erase()).stdout).toMatch(/^Would erase the address \(no person has it\) in 0 tickets/);
  });

  it('copies the database into a usable backup', async () => {
    const [folder, restored] = [await newFolder(), await newFolder()];
    await run(['generate', '--tickets', '20', '--replies', '40'], { DATA_DIR: folder });
    const { code, stdout } = await run(['backup', join(restored, 'tickets.db')], { DATA_DIR: folder });
    expect([code, stdout]).toEqual([0, expect.stringContaining('The database was copied to')]);
    const preview = ['person', 'erase', 'customer0@company0.example'];
    const { stdout: original } = await run(preview, { DATA_DIR: folder });
    expect((await run(preview, { DATA_DIR: restored })).stdout).toBe(original);
  });

  it('restarts the change feed of a restored database', async () => {
    const env = { DATA_DIR: await newFolder() };
    await run(['generate', '--tickets', '1', '--replies', '1'], env);
    expect(await run(['changes', 'restart'], env)).toMatchObject({ code: 0, stderr: '' });
  });

  it('reads the URL of the database from STORAGE_URL_FILE, like the server', async () => {
    const folder = await newFolder();
    const env = { STORAGE_URL_FILE: join(folder, 'storage-url') };
    await writeFile(env.STORAGE_URL_FILE, `sqlite:${join(folder, 'elsewhere.db')}\n`);
    const { code, stderr } = await run(['changes', 'restart'], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('elsewhere.db')]);
  });

  it('uses MongoDB if npm start does', async () => {
    const env = { MONGODB_URL: `mongodb://127.0.0.1:${await findFreePort()}/` };
    const { code, stderr } = await run(['person', 'erase', 'ada@example.com'], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('MongoDB cannot be used')]);
  });

  it('fails for a database that does not exist', async () => {
    const { code, stderr } = await run(['person', 'erase', 'ada@example.com', '--yes']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('No readable database')]);
  });

  it.each([
    ['unknown'],
    ['person', 'erase', 'no-address'],
    ['generate'],
    ['generate', '--tickets', 'many', '--replies', '1'],
    ['generate', '--tickets', '1', '--replies', '1', '--until', 'tomorrow'],
  ])('exits with 2 for invalid arguments: %s', async (...args) => {
    expect((await run(args)).code).toBe(2);
  });

  it('reports a failure in one line', async () => {
    const { code, stderr } = await run(['generate', '--tickets', '1', '--replies', '1'], {
      STORAGE_URL: 'x:y',
    });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
