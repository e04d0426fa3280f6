import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { isListening } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ListenOptions, listen } from '../index.ts';

async function start(handler: Parameters<typeof listen>[0], options: Partial<ListenOptions> = {}) {
  const listening = await listen(handler, { host: '127.0.0.1', port: 0, ...options });
  onTestFinished(() => listening.close());
  return listening;
}

/** Sends one request on a keep-alive connection. */
async function request(url: string, agent: Agent): Promise<IncomingMessage> {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response;
}

/** Creates a handler that holds one request until `finish`. */
function holding() {
  const arrival = Promise.withResolvers<ServerResponse>();
  return {
    handler: (_: IncomingMessage, response: ServerResponse) => arrival.resolve(response),
    arrived: arrival.promise,
    finish: (text = '') => void arrival.promise.then((response) => response.end(text)),
  };
}

/** Default drain limit of `close`. */
const DRAIN_MS = 10_000;

describe('listen', () => {
  it('serves at the returned URL', async () => {
    const { url, port } = await start((_, response) => response.end('hello'));
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect(await (await fetch(url)).text()).toBe('hello');
  });

  it('rejects when the port is in use', async () => {
    const { port } = await start((_, response) => response.end());
    await expect(listen(() => undefined, { host: '127.0.0.1', port })).rejects.toThrow(/EADDRINUSE/);
  });

  it.each([
    ['127.0.0.1', 'another program listens there', 'set API_PORT to another port'],
    ['192.0.2.1', 'EADDRNOTAVAIL', 'set HOST to an address of this machine'],
  ])('reports why %s cannot be used and which setting to change', async (host, reason, remedy) => {
    const { port } = await start((_, response) => response.end());
    const listening = listen(() => undefined, { host, port, setting: 'API_PORT' });
    await expect(listening).rejects.toThrow(`${host}:${port} cannot be used (${reason}); ${remedy}.`);
  });

  it('finishes a request in flight before it closes, and accepts no new one', async () => {
    const { handler, arrived, finish } = holding();
    const listening = await start(handler);
    const inFlight = fetch(listening.url);
    await arrived;
    const closed = listening.close();
    await expect.poll(() => isListening(listening.port)).toBe(false);
    finish('finished');
    expect(await (await inFlight).text()).toBe('finished');
    await closed;
  });

  it('does not wait for idle keep-alive connections', async () => {
    const listening = await start((_, response) => response.end());
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    await request(listening.url, agent);
    const startedAt = performance.now();
    await listening.close();
    expect(performance.now() - startedAt).toBeLessThan(DRAIN_MS);
  });

  it('closes a keep-alive connection after its last request', async () => {
    const { handler, arrived, finish } = holding();
    const listening = await start(handler);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const inFlight = request(listening.url, agent);
    await arrived;
    const startedAt = performance.now();
    const closed = listening.close();
    finish();
    await Promise.all([closed, inFlight]);
    expect(performance.now() - startedAt).toBeLessThan(DRAIN_MS);
  });

  it('aborts requests at the drain limit', async () => {
    const { handler, arrived } = holding();
    const listening = await start(handler, { drainMilliseconds: 200 });
    const hanging = fetch(listening.url);
    hanging.catch(() => undefined);
    await arrived;
    const startedAt = performance.now();
    await listening.close();
    expect(performance.now() - startedAt).toBeLessThan(DRAIN_MS);
    await expect(hanging).rejects.toThrow();
  });

  it('refuses connections above its limit', async () => {
    const { port } = await start((_, response) => response.end(), { maxConnections: 2 });
    const sockets = [1, 2, 3].map(() => connect(port, '127.0.0.1'));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    const [first, second, third] = sockets;
    if (!first || !second || !third) throw new Error('unreachable');
    await once(third, 'close');
    expect([first.destroyed, second.destroyed]).toEqual([false, false]);
  });

  it('responds 408 when a client does not finish its headers', async () => {
    const { port } = await start((_, response) => response.end(), {
      headersTimeoutMs: 200,
      checkIntervalMs: 50,
    });
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 408 /);
  });

  it('responds 408 when a client does not finish its body', async () => {
    const { port } = await start(
      (incoming, response) => {
        incoming.resume();
        incoming.on('end', () => response.end());
        incoming.on('error', () => undefined);
      },
      { requestTimeoutMs: 300, headersTimeoutMs: 200, checkIntervalMs: 50 },
    );
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 408 /);
  });
});
