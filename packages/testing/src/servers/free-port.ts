import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Ports below the ephemeral range: 32,768 and up on Linux, 49,152 and up elsewhere. */
const [FIRST, LAST] = [15_000, 32_000];

/**
 * Finds a free port of 127.0.0.1 below the ephemeral range, so that no outgoing connection takes it before the
 * server does. A file in the temporary folder, which the suites of one run share, reserves the port, because
 * a suite that runs at the same time may find it as well before a server listens.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if ((await isFree(port)) && reserve(port)) return port;
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

/** Creates the file that reserves a port. Returns `false` when the port is reserved. */
function reserve(port: number): boolean {
  try {
    closeSync(openSync(join(tmpdir(), `keydesk-port-${port}`), 'wx'));
    return true;
  } catch (err) {
    if (err instanceof Error && 'code' in err && err.code === 'EEXIST') return false;
    throw err;
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
