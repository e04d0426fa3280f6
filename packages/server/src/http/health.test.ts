import { describe, expect, it } from 'vitest';
import { createHealth } from '../index.ts';
import { startTestApp } from '../test-app.fixture.ts';

describe('the health probes', () => {
  it('respond 200 while every check succeeds', async () => {
    const { url } = await startTestApp(createHealth({ checks: { storage: async () => undefined } }).routes);
    for (const path of ['/healthz', '/readyz']) {
      const response = await fetch(url + path);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.json()).toEqual({ status: 'ok' });
    }
  });

  it('name the failing check without its error, while /healthz responds 200', async () => {
    const checks = { storage: () => Promise.reject(new Error('hunter2')), keys: async () => undefined };
    const { url } = await startTestApp(createHealth({ checks }).routes);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const response = await fetch(`${url}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: 'unavailable', failing: ['storage'] });
  });

  it('add details to /readyz alone, whether it is ready or not', async () => {
    const health = createHealth({ checks: {}, details: () => ({ age: 3 }) });
    const { url } = await startTestApp(health.routes);
    const read = async (path: string) => (await fetch(url + path)).json();
    expect(await read('/healthz')).toEqual({ status: 'ok' });
    expect(await read('/readyz')).toEqual({ status: 'ok', age: 3 });
    health.drain();
    expect(await read('/readyz')).toEqual({ status: 'unavailable', failing: ['draining'], age: 3 });
  });

  it('are logged only when they fail', async () => {
    const health = createHealth({ checks: {} });
    const app = await startTestApp(health.routes);
    await fetch(`${app.url}/healthz`);
    await fetch(`${app.url}/readyz`);
    health.drain();
    await fetch(`${app.url}/readyz`);
    await expect.poll(() => app.lines().map(({ status }) => status)).toEqual([503]);
  });

  it('treat a check that times out as failed', async () => {
    const health = createHealth({
      checks: { storage: () => new Promise(() => undefined) },
      checkTimeoutMs: 50,
    });
    const { url } = await startTestApp(health.routes);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
  });

  it('report a draining service as not ready', async () => {
    const health = createHealth({ checks: {} });
    const { url } = await startTestApp(health.routes);
    health.drain();
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});
