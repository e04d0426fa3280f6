import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A TCP proxy in front of a loopback port that delays responses. */
export interface SlowProxy {
  port: number;
  /** Delays each chunk that the server sends from now on. */
  delay(milliseconds: number): void;
  /** Closes all connections; new ones are accepted. */
  cut(): void;
  close(): void;
}

/** Starts a proxy on a free port of 127.0.0.1, initially without delay. Close it when done. */
export async function startSlowProxy(upstreamPort: number): Promise<SlowProxy> {
  let delayMilliseconds = 0;
  const sockets = new Set<Socket>();

  function relay(client: Socket): void {
    const upstream = connect(upstreamPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    let inOrder = Promise.resolve();
    upstream.on('data', (bytes) => {
      inOrder = inOrder
        .then(() => sleep(delayMilliseconds, undefined, { ref: false }))
        .then(() => void client.write(bytes));
    });
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }

  const server = createServer(relay).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    port: address.port,
    delay(milliseconds) {
      delayMilliseconds = milliseconds;
    },
    cut,
    close() {
      server.close();
      cut();
    },
  };
}
