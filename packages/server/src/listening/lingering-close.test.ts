import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../index.ts';

describe('a response with Connection: close before the request body has arrived (RFC 9112 §9.6)', () => {
  it('reaches a client that is still sending', async () => {
    const listening = await listen((_, response) => response.writeHead(413).end('too large'), {
      host: '127.0.0.1',
      port: 0,
    });
    onTestFinished(() => listening.close());
    listening.drain();
    const socket = connect(listening.port, '127.0.0.1');
    const failures: unknown[] = [];
    socket.on('error', (err) => failures.push(err));
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n');
    const [answer] = await once(socket, 'data');
    const chunk = Buffer.alloc(100_000);
    for (let sent = 0; sent < 4_000_000 && failures.length === 0; sent += chunk.length)
      await new Promise((resolve) => socket.write(chunk, resolve));
    expect(failures).toEqual([]);
    expect(String(answer)).toMatch(/^HTTP\/1.1 413 /);
    expect(String(answer)).toMatch(/^Connection: close\r$/m);
    const closed = once(socket, 'close');
    socket.end();
    await closed;
  });

  it('closes only the connection when the handler destroyed the request', async () => {
    const listening = await listen(
      (request, response) => {
        request.destroy();
        response.end('never sent');
      },
      { host: '127.0.0.1', port: 0 },
    );
    onTestFinished(() => listening.close());
    const socket = connect(listening.port, '127.0.0.1').resume();
    socket.on('error', () => undefined);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 40000\r\n\r\n');
    await once(socket, 'close');
  });

  it('closes the connection at once when the request has no body', async () => {
    const listening = await listen((_, response) => response.end('hello'), { host: '127.0.0.1', port: 0 });
    onTestFinished(() => listening.close());
    const startedAt = performance.now();
    for (let i = 0; i < 10; i++) {
      const socket = connect(listening.port, '127.0.0.1').resume();
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      await once(socket, 'close');
    }
    // Waiting for ten bodies would take 50 seconds.
    expect(performance.now() - startedAt).toBeLessThan(45_000);
  });
});
