import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'descriptor-shortage.main.fixture.ts');
const DESCRIPTORS = 64;
const patience = { timeout: 30_000 };

/** Starts a server in a separate process with few file descriptors. */
async function startWithFewDescriptors() {
  const command = `ulimit -n ${DESCRIPTORS} && exec "$0" "$@"`;
  const child = spawn('/bin/sh', ['-c', command, process.execPath, PROGRAM]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const lines = () =>
    output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  await expect.poll(() => lines().length, patience).toBe(1);
  const [{ url, metrics_url: metricsUrl }] = lines();
  return {
    url,
    warnings: () => lines().filter(({ level }) => level === 40),
    toggleShortage: () => child.kill('SIGUSR2'),
    async metric(name: string) {
      const text = await (await fetch(`${metricsUrl}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    },
  };
}

async function connectTo(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

describe('a process with few file descriptors', () => {
  it('reserves half of them, and logs and counts refused connections', async () => {
    const server = await startWithFewDescriptors();
    const sockets = await Promise.all(Array.from({ length: DESCRIPTORS }, () => connectTo(server.url)));
    await expect.poll(() => sockets.filter(({ closed }) => closed).length, patience).toBe(DESCRIPTORS / 2);
    expect(await server.metric('http_connections_refused_total')).toBe(DESCRIPTORS / 2);
    await expect.poll(server.warnings, patience).toEqual([
      expect.objectContaining({
        open: 32,
        msg: expect.stringMatching(/refused because 32 are open; raise .*ulimit -n/),
      }),
    ]);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => fetch(server.url).then(({ status }) => status, String), patience).toBe(200);
  });

  it('logs once a minute and counts seconds while none is left', async () => {
    const server = await startWithFewDescriptors();
    const shortage = () => server.metric('http_descriptor_shortage_seconds_total');
    // This connection stays open and works while no other can be accepted.
    expect(await shortage()).toBe(0);
    server.toggleShortage();
    await expect.poll(shortage, patience).toBeGreaterThan(1);
    await once(await connectTo(server.url), 'close');
    await expect.poll(server.warnings, patience).toEqual([
      expect.objectContaining({
        code: 'EMFILE',
        msg: expect.stringContaining('no file descriptor is left'),
      }),
    ]);
    server.toggleShortage();
    await expect.poll(() => fetch(server.url).then(({ status }) => status, String), patience).toBe(200);
  });
});
