import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findFreePort,
  type Program,
  processesThatLogged,
  recordModules,
  startLoad,
  startProgram,
  untilReady,
} from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDevelopmentSecret } from '../keys/master-secret.ts';
import { addMachineClient } from './processes.fixture.ts';

const CONCURRENCY = 4;

/** Tests run in order on one program, because a start takes longer than a test. */
describe('the authorization server with WORKERS=2', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-workers-'));
  const modules = recordModules(folder);
  const MASTER_SECRET_FILE = join(folder, 'master-secret');
  let server: Program;
  let url: string;
  let authorization: string;

  beforeAll(async () => {
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}`;
    createDevelopmentSecret(MASTER_SECRET_FILE);
    const env = {
      AUTH_PORT: String(port),
      MASTER_SECRET_FILE,
      STORAGE_URL: `sqlite:${join(folder, 'auth.db')}`,
    };
    const unlimited = { TOKEN_RATE_LIMIT_PER_ADDRESS: '0', TOKEN_RATE_LIMIT_PER_CLIENT: '0' };
    server = startProgram(join(import.meta.dirname, '../main.ts'), {
      env: { ...modules.env, ...env, ...unlimited, WORKERS: '2' },
    });
    await untilReady(url, server);
    await vi.waitUntil(() => workers().length === 2, { timeout: 90_000 });
    const { id, secret } = await addMachineClient({ DATA_DIR: folder });
    authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  });
  afterAll(() => {
    server.child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const workers = () => processesThatLogged(server, 'listening');

  /** Requests tokens and the key set while a task runs. */
  async function underLoad(task: () => Promise<unknown>) {
    const keys = startLoad(url, { concurrency: CONCURRENCY, path: '/jwks' });
    const tokens = startLoad(url, {
      concurrency: CONCURRENCY,
      path: '/token',
      method: 'POST',
      headers: { Authorization: authorization, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&scope=tickets:read',
    });
    await expect.poll(() => tokens.report().statuses[200]).toBeGreaterThan(10);
    await task();
    return [await keys.stop(), await tokens.stop()];
  }

  it('loads the app in its workers, but not in the primary', () => {
    const isOfApp = (url: string) =>
      url.includes('/node_modules/oidc-provider/') || url.endsWith('/src/app.ts');
    expect(modules.loadedBy(server.child.pid).filter(isOfApp)).toEqual([]);
    for (const pid of workers()) expect(modules.loadedBy(pid).filter(isOfApp)).not.toEqual([]);
  });

  it('fails only requests in flight at a killed worker', async () => {
    const [victim = 0] = workers();
    const reports = await underLoad(async () => {
      process.kill(victim, 'SIGKILL');
      await expect.poll(workers).toHaveLength(3);
    });
    for (const { statuses, failures } of reports) {
      expect(Object.keys(statuses)).toEqual(['200']);
      expect(failures.length).toBeLessThanOrEqual(CONCURRENCY);
    }
  });

  it('fails no request while SIGHUP replaces the workers', async () => {
    const reports = await underLoad(async () => {
      server.child.kill('SIGHUP');
      await expect.poll(() => server.output().stdout, { timeout: 120_000 }).toContain('workers.replaced');
    });
    for (const report of reports)
      expect(report).toEqual({ statuses: { 200: expect.any(Number) }, failures: [] });
    expect(workers()).toHaveLength(5);
  });

  it('exits with 0 on SIGTERM, having written only its log', async () => {
    server.child.kill('SIGTERM');
    const { code, stdout, stderr } = await server.ended;
    expect([code, stderr]).toEqual([0, '']);
    for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ name: 'auth' });
  });
});
