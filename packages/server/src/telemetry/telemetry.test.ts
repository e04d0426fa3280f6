import { tracingChannel } from 'node:diagnostics_channel';
import { connect } from 'node:net';
import { findFreePort, type OtlpCollector, startOtlpCollector } from '@keydesk/testing';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError, createMetrics } from '../index.ts';
import { observeStores } from '../metrics/observe-stores.ts';
import { startTestApp, type TestApp } from '../test-app.fixture.ts';
import { openTelemetry, type Telemetry, type TelemetryOptions } from './open-telemetry.ts';

const CLIENT_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${CLIENT_TRACE}-00f067aa0ba902b7-01`;

/** Starts tracing to a collector until the test ends. */
async function trace(
  options: Partial<TelemetryOptions> = {},
  collector?: OtlpCollector,
): Promise<{ telemetry: Telemetry; collector: OtlpCollector }> {
  const own = collector ?? (await startOtlpCollector());
  const telemetry = openTelemetry({
    endpoint: own.url,
    headers: {},
    serviceName: 'test',
    resourceAttributes: {},
    sampler: 'parentbased_always_on',
    samplerRatio: 1,
    trustsTraceContext: false,
    peers: [],
    ...options,
  });
  onTestFinished(async () => {
    await telemetry.close();
    await own.stop();
  });
  return { telemetry, collector: own };
}

/** Serves one route; its storage has a port `tickets`. */
function serve(telemetry: Telemetry, find: () => Promise<unknown> = async () => 1): Promise<TestApp> {
  const { tickets } = observeStores(
    { tickets: { find } },
    { url: 'sqlite:x', metrics: undefined, isTraced: true },
  );
  const readContext = telemetry.currentIds;
  return startTestApp(
    async (ctx) => {
      ctx._matchedRoute = '/ticket/:id';
      await tickets.find();
      ctx.state.log.info('found');
      ctx.body = 'ok';
    },
    { readContext },
  );
}

describe('the trace of a request (W3C Trace Context, OpenTelemetry semantic conventions)', () => {
  it('has the route as its name, the operations of the storage as children, and its id in every log line', async () => {
    const { telemetry, collector } = await trace();
    const app = await serve(telemetry);
    await fetch(`${app.url}/ticket/ada-lovelace?q=secret`);
    await telemetry.close();
    const [find, request] = collector.spans();
    expect(request).toMatchObject({
      name: 'GET /ticket/:id',
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/ticket/:id',
        'http.response.status_code': 200,
      },
      isFailed: false,
    });
    expect(find).toMatchObject({
      name: 'tickets.find',
      traceId: request?.traceId,
      parentSpanId: request?.spanId,
      attributes: {
        'db.system.name': 'sqlite',
        'db.collection.name': 'tickets',
        'db.operation.name': 'find',
      },
    });
    await expect.poll(() => app.lines().length).toBe(2);
    for (const line of app.lines()) expect(line.trace_id).toBe(request?.traceId);
    expect(collector.received()).not.toMatch(/secret|ada-lovelace/);
  });

  it('is a new one that links to the trace of a client, whose state it does not repeat (§4.3)', async () => {
    const { telemetry, collector } = await trace();
    const app = await serve(telemetry);
    await fetch(`${app.url}/`, { headers: { traceparent, tracestate: 'vendor=private' } });
    await telemetry.close();
    const [, request] = collector.spans();
    expect(request?.traceId).not.toBe(CLIENT_TRACE);
    expect(request).toMatchObject({ links: [CLIENT_TRACE] });
    expect(request?.parentSpanId ?? '').toBe('');
    expect(collector.received()).not.toContain('vendor');
  });

  it('continues that of a trusted proxy, which also decides whether it is recorded (§3.2.2.5)', async () => {
    const { telemetry, collector } = await trace({ trustsTraceContext: true });
    const app = await serve(telemetry);
    await fetch(`${app.url}/`, { headers: { traceparent } });
    await fetch(`${app.url}/`, { headers: { traceparent: traceparent.replace(/1$/, '0') } });
    await telemetry.close();
    expect(collector.spans().map(({ traceId }) => traceId)).toEqual([CLIENT_TRACE, CLIENT_TRACE]);
  });

  it.each(['00-0-0-01', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `${traceparent}, ${traceparent}`, ''])(
    'is a new one when the header is %j (§3.2)',
    async (header) => {
      const { telemetry, collector } = await trace({ trustsTraceContext: true });
      const app = await serve(telemetry);
      expect((await fetch(`${app.url}/`, { headers: { traceparent: header } })).status).toBe(200);
      await telemetry.close();
      const [, request] = collector.spans();
      expect(request).toMatchObject({ links: [] });
      expect(request?.traceId).not.toBe(CLIENT_TRACE);
    },
  );

  it('is not recorded by a sampler of ratio 0, and log lines still have its id', async () => {
    const { telemetry, collector } = await trace({ sampler: 'parentbased_traceidratio', samplerRatio: 0 });
    const app = await serve(telemetry);
    await fetch(`${app.url}/`);
    await expect.poll(() => app.lines().length).toBe(2);
    await telemetry.close();
    expect(collector.spans()).toEqual([]);
    expect(app.lines()[0]?.trace_id).toMatch(/^[\da-f]{32}$/);
  });

  it('has the code of an error, not its message', async () => {
    const { telemetry, collector } = await trace();
    const cause = new Error('password hunter2');
    const app = await serve(telemetry, () =>
      Promise.reject(new AppError('unavailable', 'hunter2', { cause })),
    );
    expect((await fetch(`${app.url}/`)).status).toBe(503);
    await telemetry.close();
    for (const span of collector.spans())
      expect(span).toMatchObject({ isFailed: true, attributes: { 'error.type': 'unavailable' } });
    expect(collector.received()).not.toContain('hunter2');
  });

  it('has no status when the client has left, and no name of its own for an unknown method', async () => {
    const { telemetry, collector } = await trace();
    const arrival = Promise.withResolvers<void>();
    const app = await serve(telemetry, () => {
      arrival.resolve();
      return new Promise(() => undefined);
    });
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.write('PURGE / HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrival.promise;
    socket.destroy();
    const hasEnded = () => collector.spans().some(({ attributes }) => attributes['error.type'] === 'aborted');
    await expect.poll(hasEnded).toBe(true);
    expect(collector.received()).not.toContain('PURGE');
  });

  it('does not contain probes, and work outside of requests', async () => {
    const { telemetry, collector } = await trace();
    const app = await serve(telemetry);
    await fetch(`${app.url}/readyz`);
    await tracingChannel('ioredis:command').tracePromise(async () => 1, { command: 'get' });
    await telemetry.close();
    expect(collector.spans()).toEqual([]);
  });
});

describe('the metrics beside traces (OpenMetrics 1.0, exemplars)', () => {
  it.each([
    { sampler: 'parentbased_always_on', recorded: 'names' },
    { sampler: 'parentbased_always_off', recorded: 'does not name' },
  ] as const)('a bucket $recorded the trace of a request with $sampler', async ({ sampler }) => {
    const { telemetry, collector } = await trace({ sampler });
    const metrics = createMetrics({ hasExemplars: true });
    const listening = await metrics.serve({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => listening.close());
    const app = await startTestApp((ctx) =>
      metrics.httpDuration(ctx, async () => {
        ctx.body = 'ok';
      }),
    );
    await fetch(`${app.url}/`);
    await telemetry.close();

    const response = await fetch(`${listening.url}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^application\/openmetrics-text; version=1\.0\.0/);
    const text = await response.text();
    expect(text).toMatch(/\n# EOF\n$/);
    const named = [...text.matchAll(/_bucket\{.*\} 1 # \{trace_id="(\w+)"\} 0\.\d+ \d+/g)].map(
      ([, id]) => id,
    );
    expect(named).toEqual(collector.spans().map(({ traceId }) => traceId));
    expect(text).toContain('http_request_duration_seconds_count{method="GET",route="none",status="200"} 1');
  });
});

describe('requests to other servers', () => {
  it('are part of the trace; only configured servers get its context and are named', async () => {
    const peer = await startTestApp((ctx) => {
      ctx.body = ctx.get('traceparent');
    });
    const { telemetry, collector } = await trace({ peers: [`${peer.url}/issuer`] });
    const stranger = peer.url.replace('127.0.0.1', 'localhost');
    const received: string[] = [];
    const closedPort = await findFreePort();
    const app = await startTestApp(async (ctx) => {
      for (const url of [peer.url, stranger]) received.push(await (await fetch(`${url}/?code=1`)).text());
      await fetch(`http://127.0.0.1:${closedPort}/`).catch(() => undefined);
      ctx.body = 'ok';
    });
    await fetch(app.url);
    await telemetry.close();
    const [toPeer, toStranger, refused] = collector.spans().filter(({ isClient }) => isClient);
    expect(received).toEqual([`00-${toPeer?.traceId}-${toPeer?.spanId}-01`, '']);
    expect(toPeer?.attributes).toMatchObject({ 'server.address': '127.0.0.1' });
    expect(toStranger?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
    });
    expect(refused).toMatchObject({ isFailed: true, attributes: { 'error.type': expect.any(String) } });
    expect(collector.received()).not.toContain('code=1');
  });
});

describe('a collector', () => {
  function createLog() {
    const lines: string[] = [];
    return { lines, log: pino({}, { write: (line) => void lines.push(line) }) };
  }

  it('that is down fails no request, and is reported once', async () => {
    const { telemetry } = await trace({ endpoint: 'http://127.0.0.1:9' });
    const { lines, log } = createLog();
    telemetry.reportTo(log);
    const app = await serve(telemetry);
    for (let i = 0; i < 5; i += 1) expect((await fetch(app.url)).status).toBe(200);
    await expect.poll(() => lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, msg: 'traces cannot be exported' });
  });

  it('that hangs delays neither requests nor the end of the program', async () => {
    const hanging = await startOtlpCollector({ isHanging: true });
    const { telemetry } = await trace({}, hanging);
    const app = await serve(telemetry);
    expect((await fetch(app.url)).status).toBe(200);
    await expect.poll(() => hanging.requests()).toBeGreaterThan(0);
    expect((await fetch(app.url)).status).toBe(200);
    // The collector has not responded when this resolves.
    await telemetry.close();
  });
});
