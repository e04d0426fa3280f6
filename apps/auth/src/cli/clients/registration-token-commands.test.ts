import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openSqliteStorage } from '../../storage/sqlite/storage.ts';
import { runCli } from '../program.ts';

const folder = mkdtempSync(join(tmpdir(), 'keydesk-cli-'));
const path = join(folder, 'auth.db');
const storage = openSqliteStorage({ path });
afterAll(async () => {
  await storage.close();
  rmSync(folder, { recursive: true });
});

async function run(...args: string[]) {
  const out: string[] = [];
  const code = await runCli(['registration-token', ...args], {
    env: { STORAGE_URL: `sqlite:${path}` },
    print: (text) => void out.push(text),
    printError: (text) => void out.push(text),
    readInput: async () => '',
  });
  return { code, output: out.join('') };
}

const add = async (...args: string[]) => JSON.parse((await run('add', '--json', ...args)).output);

describe('keydesk registration-token', () => {
  it('creates a token with a number of uses and a lifetime, and prints it once', async () => {
    const before = Date.now();
    const made = await add('--name', 'Partner', '--uses', '3', '--expires-in', '24h');
    expect(made).toMatchObject({
      token: expect.stringMatching(/^kdit_[\w-]{43}$/),
      name: 'Partner',
      uses_left: 3,
    });
    const seconds = (Date.parse(made.expires_at) - before) / 1000;
    expect(Math.round(seconds / 60)).toBe(24 * 60);
    const { output } = await run('list');
    expect(output).toContain(made.id);
    expect(output).not.toContain(made.token);
  });

  it('revokes a token', async () => {
    const { id } = await add('--name', 'Other');
    expect((await run('revoke', id)).code).toBe(0);
    expect((await run('list')).output).not.toContain(id);
    expect(await run('revoke', id)).toMatchObject({ code: 1, output: expect.stringContaining(id) });
  });

  it.each([
    [['--name', 'x', '--uses', '0'], 1, 'uses must be 1 to 1000'],
    [['--name', '\u0007'], 1, 'name needs 1 to 100'],
    [['--name', 'x', '--expires-in', '400d'], 1, 'expires_in must be at most 366 days'],
    [['--name', 'x', '--uses', 'many'], 2, 'whole number'],
    [[], 2, '--name'],
  ])('rejects %j', async (args, code, reason) => {
    expect(await run('add', ...args)).toMatchObject({ code, output: expect.stringContaining(reason) });
  });

  it('is recorded in the audit log, without the token', async () => {
    const { id, token } = await add('--name', 'Audited');
    await run('revoke', id);
    const types = ['registration_token.added', 'registration_token.revoked'] as const;
    const records = await storage.audit.list({ types, limit: 2 });
    expect(records.map(({ type, details }) => [type, details.id])).toEqual([
      ['registration_token.revoked', id],
      ['registration_token.added', id],
    ]);
    expect(JSON.stringify(records)).not.toContain(token);
  });
});
