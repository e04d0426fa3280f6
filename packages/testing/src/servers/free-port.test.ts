import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from './free-port.ts';

it('finds a free port outside the ephemeral range', async () => {
  const port = await findFreePort();
  expect(port).toBeLessThan(32_768);
  const server = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
});

it('reserves the port for the suites that share the temporary folder', async () => {
  const reservation = join(tmpdir(), `keydesk-port-${await findFreePort()}`);
  onTestFinished(() => rmSync(reservation, { force: true }));
  expect(existsSync(reservation)).toBe(true);
});
