import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMetrics, listen } from '../index.ts';
import { startTestApp } from '../test-app.fixture.ts';

describe('the metrics', () => {
  it('are served on a separate listener: requests by route and status, counters, process metrics', async () => {
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

  it('count a request that the client aborted without a status', async () => {
    const metrics = createMetrics();
    const arrival = Promise.withResolvers<void>();
    const { url } = await startTestApp((ctx) =>
      metrics.httpDuration(ctx, () => {
        arrival.resolve();
        return new Promise(() => undefined);
      }),
    );
    const listening = await metrics.serve({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => listening.close());
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrival.promise;
    socket.destroy();
    const counted = 'http_request_duration_seconds_count{method="GET",route="none",status="none"} 1';
    await vi.waitFor(
      async () => expect(await (await fetch(`${listening.url}/metrics`)).text()).toContain(counted),
      30_000,
    );
  });

  it('are the only resource of their listener', async () => {
    const listening = await createMetrics().serve({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => listening.close());
    expect((await fetch(`${listening.url}/`)).status).toBe(404);
  });

  it('show the open connections of a server, and how many may be open', async () => {
    const metrics = createMetrics();
    const own = await metrics.serve({ host: '127.0.0.1', port: 0 });
    const server = await listen((_, response) => response.end(), {
      host: '127.0.0.1',
      port: 0,
      maxConnections: 7,
      refusals: { log: { warn: () => undefined }, metrics },
    });
    onTestFinished(async () => {
      await server.close();
      await own.close();
    });
    const read = async () => (await fetch(`${own.url}/metrics`)).text();
    const socket = connect(server.port, '127.0.0.1');
    await expect.poll(read).toContain('\nhttp_connections 1\n');
    expect(await read()).toContain('\nhttp_connections_limit 7\n');
    socket.destroy();
    await expect.poll(read).toContain('\nhttp_connections 0\n');
  });
});
