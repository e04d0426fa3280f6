import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Below those that operating systems give to outgoing connections: 32,768 and up on Linux, 49,152 elsewhere. */
const [FIRST, LAST] = [15_000, 32_000];

/**
 * A port of 127.0.0.1 on which nothing listens, and which no connection of the tests takes before the server that it
 * is meant for.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
}

/** Whether a port of this machine accepts connections. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
