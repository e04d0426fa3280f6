import { describe, expect, it, onTestFinished } from 'vitest';
import { createMetrics } from './index.ts';
import { startTestApp } from './test-app.fixture.ts';

describe('the metrics', () => {
  it('are served on a listener of their own: requests by route and status, counters, the process', async () => {
    const metrics = createMetrics();
    const { url } = await startTestApp(async (ctx) => {
      await metrics.httpDuration(ctx, async () => {
        ctx._matchedRoute = '/ticket/:id';
        ctx.body = 'ok';
      });
    });
    const listening = await metrics.serve({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => listening.close());
    metrics.counter('keydesk_things_total', 'Things', ['kind']).inc({ kind: 'good' });
    await fetch(`${url}/ticket/42`);

    const response = await fetch(`${listening.url}/metrics`);
    const text = await response.text();
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(text).toContain(
      'http_request_duration_seconds_count{method="GET",route="/ticket/:id",status="200"} 1',
    );
    expect(text).toContain('keydesk_things_total{kind="good"} 1');
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).not.toContain('/ticket/42');
  });

  it('have nothing else beside them', async () => {
    const listening = await createMetrics().serve({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => listening.close());
    expect((await fetch(`${listening.url}/`)).status).toBe(404);
  });
});
