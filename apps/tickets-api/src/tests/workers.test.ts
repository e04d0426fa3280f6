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
  startTestIssuer,
  untilReady,
} from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const CONCURRENCY = 4;

/** Tests run in order on one program, because a start takes longer than a test. */
describe('the API with WORKERS=2', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-workers-'));
  const modules = recordModules(folder);
  let issuer: Awaited<ReturnType<typeof startTestIssuer>>;
  let server: Program;
  let url: string;
  /** Tickets that responses with 201 promised. */
  let created = 0;
  /** Creations without a response, which may have been committed. */
  let unknown = 0;

  beforeAll(async () => {
    const [port, metricsPort] = [await findFreePort(), await findFreePort()];
    url = `http://127.0.0.1:${port}`;
    issuer = await startTestIssuer({ audience: url });
    server = startProgram(join(import.meta.dirname, '../main.ts'), {
      env: {
        ...modules.env,
        WORKERS: '2',
        API_PORT: String(port),
        METRICS_PORT: String(metricsPort),
        BASE_URL: url,
        ISSUER: issuer.issuer,
        STORAGE_URL: `sqlite:${join(folder, 'tickets.db')}`,
        RATE_LIMIT_READS_PER_MINUTE: '0',
        RATE_LIMIT_WRITES_PER_MINUTE: '0',
      },
    });
    await untilReady(url, server);
    await vi.waitUntil(() => workers().length === 2, { timeout: 90_000 });
  });
  afterAll(async () => {
    server.child.kill('SIGKILL');
    await issuer.stop();
    rmSync(folder, { recursive: true });
  });

  const workers = () => processesThatLogged(server, 'listening');
  const headersOf = () => ({
    Authorization: `Bearer ${issuer.token({ role: 'agent', scope: 'tickets:read tickets:write' })}`,
    'Content-Type': 'application/json',
  });

  /** Sends lists and new tickets while a task runs. */
  async function underLoad(task: () => Promise<unknown>) {
    const sent = { concurrency: CONCURRENCY, path: '/tickets.json', headers: headersOf() };
    const lists = startLoad(url, { ...sent, path: '/tickets.json?limit=5' });
    const creations = startLoad(url, { ...sent, method: 'POST', body: '{"subject":"Load"}' });
    await expect.poll(() => creations.report().statuses[201]).toBeGreaterThan(10);
    await task();
    const reports = { lists: await lists.stop(), creations: await creations.stop() };
    created += reports.creations.statuses[201] ?? 0;
    unknown += reports.creations.failures.length;
    return reports;
  }

  async function countTickets(): Promise<number> {
    const response = await fetch(`${url}/tickets.json?limit=1&total=true`, { headers: headersOf() });
    return JSON.parse(await response.text()).total;
  }

  it('loads the app in its workers, but not in the primary', () => {
    const isOfApp = (url: string) =>
      url.includes('/node_modules/@koa/router/') || url.endsWith('/src/app.ts');
    expect(modules.loadedBy(server.child.pid).filter(isOfApp)).toEqual([]);
    for (const pid of workers()) expect(modules.loadedBy(pid).filter(isOfApp)).not.toEqual([]);
  });

  it('fails only requests in flight at a killed worker, and keeps every acknowledged ticket', async () => {
    const [victim = 0] = workers();
    const { lists, creations } = await underLoad(async () => {
      process.kill(victim, 'SIGKILL');
      await expect.poll(workers).toHaveLength(3);
    });
    expect(Object.keys(lists.statuses)).toEqual(['200']);
    expect(Object.keys(creations.statuses)).toEqual(['201']);
    expect(lists.failures.length).toBeLessThanOrEqual(CONCURRENCY);
    expect(creations.failures.length).toBeLessThanOrEqual(CONCURRENCY);
  });

  it('fails no request while SIGHUP replaces the workers', async () => {
    const { lists, creations } = await underLoad(async () => {
      server.child.kill('SIGHUP');
      await expect.poll(() => server.output().stdout, { timeout: 120_000 }).toContain('workers.replaced');
    });
    expect(lists).toEqual({ statuses: { 200: expect.any(Number) }, failures: [] });
    expect(creations).toEqual({ statuses: { 201: expect.any(Number) }, failures: [] });
    expect(workers()).toHaveLength(5);
  });

  it('has stored each ticket once', async () => {
    const count = await countTickets();
    expect(count).toBeGreaterThanOrEqual(created);
    expect(count).toBeLessThanOrEqual(created + unknown);
  });

  it('exits with 0 on SIGTERM, having written only its log', async () => {
    server.child.kill('SIGTERM');
    const { code, stdout, stderr } = await server.ended;
    expect([code, stderr]).toEqual([0, '']);
    for (const line of stdout.trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ name: 'tickets-api' });
  });
});
