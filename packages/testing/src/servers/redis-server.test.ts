import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type RedisServer, startRedis } from './redis-server.ts';
import { describeWith } from './services.ts';

/** Generous limit; only a failing test reaches it. */
const TIMEOUT_MS = 30_000;
/** Longer than a running Redis takes to answer. */
const SILENCE_MS = 500;

/** Sends PING and returns the reply, `silent` after the time limit, or `refused`. */
function ping(port: number, milliseconds = TIMEOUT_MS): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const answer = (text: string) => {
      socket.destroy();
      resolve(text);
    };
    socket.once('data', (bytes) => answer(bytes.toString()));
    socket.once('error', () => answer('refused'));
    sleep(milliseconds, undefined, { ref: false }).then(() => answer('silent'));
  });
}

describeWith('redis', 'a Redis server started for a suite', () => {
  const servers: RedisServer[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

  async function start(port?: number): Promise<RedisServer> {
    const server = await startRedis({ port });
    servers.push(server);
    return server;
  }

  it('answers after its start, is silent while frozen and answers again when thawed', async () => {
    const { port, freeze, thaw } = await start();
    expect(await ping(port)).toBe('+PONG\r\n');
    freeze();
    expect(await ping(port, SILENCE_MS)).toBe('silent');
    thaw();
    expect(await ping(port)).toBe('+PONG\r\n');
  });

  it('refuses connections when killed and can restart on the same port', async () => {
    const { port, kill } = await start();
    await kill();
    expect(await ping(port)).toBe('refused');
    await start(port);
    expect(await ping(port)).toBe('+PONG\r\n');
  });

  it('can be stopped while frozen', async () => {
    const { port, freeze, stop } = await start();
    freeze();
    await stop();
    expect(await ping(port)).toBe('refused');
  });

  it('reports why it cannot start', async () => {
    const { port } = await start();
    await expect(startRedis({ port })).rejects.toThrow(/Address already in use|could not be opened/i);
  });
});
