import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from './free-port.ts';

it('finds a port that can be listened on, and that no outgoing connection is given', async () => {
  const port = await findFreePort();
  expect(port).toBeLessThan(32_768);
  const server = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
});
