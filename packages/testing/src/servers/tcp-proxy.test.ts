import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTcpProxy, type TcpProxyOptions } from './tcp-proxy.ts';

describe('a TCP proxy', () => {
  /** Sends everything back. */
  const echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  let echoPort = 0;

  beforeAll(async () => {
    await once(echo.listen(0, '127.0.0.1'), 'listening');
    const address = echo.address();
    if (address && typeof address === 'object') echoPort = address.port;
  });
  afterAll(() => void echo.close());

  async function start(options?: TcpProxyOptions) {
    const proxy = await startTcpProxy(echoPort, options);
    onTestFinished(proxy.close);
    return proxy;
  }

  async function open(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  }

  async function exchange(socket: Socket, word: string): Promise<unknown> {
    socket.write(word);
    return (await once(socket, 'data'))[0];
  }

  const failure = async (socket: Socket) => (await once(socket, 'error').catch((err) => [err]))[0].code;

  it('forwards in order and passes the end of a stream on', async () => {
    const { port } = await start({ delayMs: 1 });
    const socket = await open(port);
    const words = Array.from({ length: 500 }, (_, i) => `word ${i};`);
    for (const word of words) socket.write(word);
    socket.end();
    expect(await text(socket)).toBe(words.join(''));
  });

  it('delays both directions', async () => {
    const socket = await open((await start({ delayMs: 50 })).port);
    const startedAt = performance.now();
    expect(await exchange(socket, 'ping')).toBe('ping');
    expect(performance.now() - startedAt).toBeGreaterThan(95);
  });

  it('delays chunks at the same time, not one after another', async () => {
    const socket = await open((await start({ delayMs: 2_000 })).port);
    const startedAt = performance.now();
    let received = '';
    socket.on('data', (more) => {
      received += more;
    });
    for (let i = 0; i < 20; i++) {
      socket.write('x');
      await new Promise(setImmediate);
    }
    await expect.poll(() => received, { timeout: 60_000 }).toHaveLength(20);
    // One after another would take 80 s.
    expect(performance.now() - startedAt).toBeLessThan(40_000);
  });

  it('holds everything while it is stalled, and delivers it when it is restored', async () => {
    const proxy = await start();
    const socket = await open(proxy.port);
    expect(await exchange(socket, 'before')).toBe('before');
    await proxy.stall();
    let received = '';
    socket.on('data', (more) => {
      received += more;
    });
    socket.write('held');
    const other = await open(proxy.port);
    other.write('also held');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(received).toBe('');
    await proxy.restore();
    await expect.poll(() => received).toBe('held');
    expect((await once(other, 'data'))[0]).toBe('also held');
  });

  it('resets connections and accepts new ones', async () => {
    const proxy = await start();
    const socket = await open(proxy.port);
    await exchange(socket, 'before');
    const failed = failure(socket);
    await proxy.reset();
    expect(await failed).toBe('ECONNRESET');
    expect(await exchange(await open(proxy.port), 'again')).toBe('again');
  });

  it('refuses connections until it is restored on the same port', async () => {
    const proxy = await start();
    const socket = await open(proxy.port);
    await exchange(socket, 'before');
    const failed = failure(socket);
    await proxy.refuse();
    expect(await failed).toBe('ECONNRESET');
    await expect(open(proxy.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.restore();
    expect(await exchange(await open(proxy.port), 'again')).toBe('again');
  });
});
