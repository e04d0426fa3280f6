import { describe, expect, it, onTestFinished } from 'vitest';
import { addMachineClient, newFolder, runCli, serveNewFolder } from '../../tests/processes.fixture.ts';

type Listed = Record<string, unknown>;

async function startWithData() {
  const { env, server, stop } = await serveNewFolder();
  onTestFinished(stop);

  async function run(...args: string[]) {
    const { code, stdout, stderr } = await runCli([...args, '--json'], env);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  }
  const list = (...args: string[]): Promise<Listed[]> => run('audit', 'list', ...args);
  return { env, server, run, list };
}

const typesOf = (records: readonly Listed[]) => records.map(({ type }) => type);

// Each command is a process, which is slow on a busy machine.
describe('the audit commands', () => {
  it('list records of the operator and the server, by filters, even after a restart', async () => {
    const { env, server, run, list } = await startWithData();
    const { id, secret } = await addMachineClient(env);
    await run('token', '--client-id', id, '--client-secret', secret);
    await run('client', 'disable', id);
    await run('client', 'enable', id);
    const { client_secret: second } = await run('client', 'rotate-secret', id, '--overlap', '1h');
    await run('client', 'remove', id);
    server.child.kill('SIGTERM'); // Flushes pending records.
    expect((await server.ended).code).toBe(0);
    // A running server would create another next key and record that.
    await run('keys', 'rotate');

    const ofClient = await list('--client', id);
    expect(typesOf(ofClient)).toEqual([
      'client.removed',
      'client.secret_rotated',
      'client.enabled',
      'client.disabled',
      'token.issued',
      'client.added',
    ]);
    expect(ofClient.at(-1)).toEqual({
      id: expect.any(String),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      type: 'client.added',
      actor: 'operator',
      account_id: null,
      client_id: id,
      address: 'cli',
      request_id: null,
      details: { name: 'Importer', type: 'machine', role: 'agent', scope: 'tickets:read' },
    });
    expect(ofClient[4]).toMatchObject({ actor: id, address: '127.0.0.1', request_id: expect.any(String) });
    expect(typesOf(await list('--type', 'keys.', '--since', '1h'))).toEqual(['keys.rotated', 'keys.changed']);
    expect(await list('--client', id, '--limit', '2')).toEqual(ofClient.slice(0, 2));
    expect(await list('--client', id, '--until', '1h')).toEqual([]);
    expect(await list('--client', id, '--since', String(ofClient[0]?.at))).toEqual([ofClient[0]]);
    expect(await list('--account', 'nobody')).toEqual([]);

    const { stdout } = await runCli(['audit', 'list', '--limit', '3'], env);
    expect(stdout).toMatch(/^TIME +TYPE +ACTOR[^\n]*\n[^\n]*keys\.rotated +operator/);
    expect(stdout).toContain('newest 3');
    for (const hidden of [secret, second])
      expect(JSON.stringify(await list()) + stdout).not.toContain(hidden);
  });

  it('prune records older than an age, and record that', async () => {
    const { run, list } = await startWithData();
    await run('client', 'add', '--name', 'Importer');
    expect(await run('audit', 'prune', '--older-than', '1d')).toEqual({ pruned: 0 });
    expect(typesOf(await list('--type', 'client.'))).toEqual(['client.added']);
    expect((await run('audit', 'prune', '--older-than', '0')).pruned).toBeGreaterThanOrEqual(3);
    expect(await list()).toMatchObject([{ type: 'audit.pruned', actor: 'operator' }]);
  });

  it.each([
    [['audit', 'prune']],
    [['audit', 'prune', '--older-than', 'long']],
    [['audit', 'list', '--type', 'toaster']],
    [['audit', 'list', '--since', 'yesterday']],
    [['audit', 'list', '--since', '2026-02-31T25:00:00Z']],
    [['audit', 'list', '--limit', '0']],
    [['audit', 'list', '--account', 'ada@example.org']],
  ])('%j is a usage error', async (args) => {
    const { code, stderr } = await runCli(args, { DATA_DIR: newFolder() });
    expect([code, stderr]).toEqual([2, expect.stringContaining('error')]);
  });
});
