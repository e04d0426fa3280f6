import { describe, expect, it } from 'vitest';
import { createHealth } from './index.ts';
import { startTestApp } from './test-app.fixture.ts';

describe('the probes', () => {
  it('are both good while everything answers', async () => {
    const { url } = await startTestApp(createHealth({ checks: { storage: async () => undefined } }).routes);
    for (const path of ['/healthz', '/readyz']) {
      const response = await fetch(url + path);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.json()).toEqual({ status: 'ok' });
    }
  });

  it('say what is failing, without why, while the process counts as healthy', async () => {
    const checks = { storage: () => Promise.reject(new Error('hunter2')), keys: async () => undefined };
    const { url } = await startTestApp(createHealth({ checks }).routes);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const response = await fetch(`${url}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: 'unavailable', failing: ['storage'] });
  });

  it('are logged only when they fail: every few seconds somebody asks', async () => {
    const health = createHealth({ checks: {} });
    const app = await startTestApp(health.routes);
    await fetch(`${app.url}/healthz`);
    await fetch(`${app.url}/readyz`);
    health.drain();
    await fetch(`${app.url}/readyz`);
    await expect.poll(() => app.lines().map(({ status }) => status)).toEqual([503]);
  });

  it('count a check that does not answer as failed', async () => {
    const health = createHealth({
      checks: { storage: () => new Promise(() => undefined) },
      checkTimeoutMs: 50,
    });
    const { url } = await startTestApp(health.routes);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
  });

  it('send no more work to a service that is about to stop', async () => {
    const health = createHealth({ checks: {} });
    const { url } = await startTestApp(health.routes);
    health.drain();
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});
