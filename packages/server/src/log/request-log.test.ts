import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../test-app.fixture.ts';

async function requestLine({ lines }: TestApp) {
  return vi.waitFor(() => {
    const line = lines().find(({ msg }) => msg === 'request');
    if (!line) throw new Error('no request was logged');
    return line;
  }, 30_000);
}

describe('the request log', () => {
  it('writes one line per request, without the query', async () => {
    const app = await startTestApp((ctx) => {
      ctx.state.caller = { clientId: 'client-1', subject: 'subject-1' };
      ctx.state.logged = { event: 'thing.done', token: 'hunter2' };
      ctx.body = 'ok';
    });
    await fetch(`${app.url}/tickets?client_secret=hunter2`, { headers: { Authorization: 'Bearer hunter2' } });
    expect(await requestLine(app)).toMatchObject({
      method: 'GET',
      path: '/tickets',
      status: 200,
      address: '127.0.0.1',
      client_id: 'client-1',
      subject: 'subject-1',
      event: 'thing.done',
      token: '[redacted]',
      duration_ms: expect.any(Number),
    });
    expect(app.lines()).toHaveLength(1);
    expect(app.logged()).not.toContain('hunter2');
  });

  it('assigns an id to each request and adds it to the response and every line', async () => {
    const app = await startTestApp((ctx) => {
      ctx.state.log.info('inside');
      ctx.body = 'ok';
    });
    const response = await fetch(app.url);
    const requestId = response.headers.get('x-request-id');
    expect(requestId).toMatch(/^[\da-f-]{36}$/);
    expect(response.headers.get('x-client-request-id')).toBeNull();
    await requestLine(app);
    expect(app.lines().map(({ request_id }) => request_id)).toEqual([requestId, requestId]);
  });

  it.each(['1', 'Root=1-67891233;Parent=53995c3f', '~'.repeat(128)])(
    'records the request id %j of the client in addition to its own',
    async (given) => {
      const app = await startTestApp((ctx) => {
        ctx.body = 'ok';
      });
      const response = await fetch(app.url, { headers: { 'X-Request-Id': given } });
      expect(response.headers.get('x-client-request-id')).toBe(given);
      const requestId = response.headers.get('x-request-id');
      expect(requestId).toMatch(/^[\da-f-]{36}$/);
      expect(await requestLine(app)).toMatchObject({ request_id: requestId, client_request_id: given });
    },
  );

  it.each(['x'.repeat(129), 'with space', 'caf\u00e9', ''])('ignores the request id %j', async (given) => {
    const app = await startTestApp((ctx) => {
      ctx.body = 'ok';
    });
    const response = await fetch(app.url, { headers: { 'X-Request-Id': given } });
    expect(response.headers.get('x-client-request-id')).toBeNull();
    expect(await requestLine(app)).not.toHaveProperty('client_request_id');
  });

  it('reports that the client aborted the request', async () => {
    const arrival = Promise.withResolvers<void>();
    const app = await startTestApp(() => {
      arrival.resolve();
      return new Promise(() => undefined);
    });
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrival.promise;
    socket.destroy();
    const line = await requestLine(app);
    expect(line).toMatchObject({ path: '/slow', aborted: true, address: '127.0.0.1' });
    expect(line).not.toHaveProperty('status');
  });
});

describe('the client address', () => {
  it.each([
    [0, '203.0.113.9', '127.0.0.1', 'no trusted proxy: the header is ignored'],
    [1, '198.51.100.1, 203.0.113.9', '203.0.113.9', 'one proxy: its entry'],
    [2, '198.51.100.1, 203.0.113.9, 10.0.0.2', '203.0.113.9', 'two proxies: the entry of the outer one'],
    [2, '203.0.113.9', '203.0.113.9', 'fewer entries than proxies: the left-most'],
    [1, '2001:db8::1', '2001:db8::1', 'IPv6'],
    [1, '::ffff:203.0.113.9', '203.0.113.9', 'IPv4 in IPv6 notation'],
    [1, '203.0.113.9, <script>', '127.0.0.1', 'an entry that is not an address'],
    [1, '', '127.0.0.1', 'no header'],
  ])('with %d trusted proxies and %j is %s (%s)', async (hops, forwarded, address) => {
    const { url } = await startTestApp(
      (ctx) => {
        ctx.body = ctx.ip;
      },
      { hops },
    );
    expect(await (await fetch(url, { headers: { 'X-Forwarded-For': forwarded } })).text()).toBe(address);
  });
});
