import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListenOptions {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Open connections beyond this are refused. */
  maxConnections?: number;
  /** How long `close` waits for requests in flight before it cuts them off. */
  drainMilliseconds?: number;
  /** How long a caller may take for the headers. */
  headersTimeoutMs?: number;
  /** How long a caller may take for the whole request. */
  requestTimeoutMs?: number;
  /** How often the two are checked. */
  checkIntervalMs?: number;
}

export interface Listening {
  /** `http://host:port` as bound. */
  url: string;
  port: number;
  /** Stops accepting, lets requests in flight end, then cuts what is left. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CHECK_INTERVAL_MS = 5_000;
const IDLE_SWEEP_MS = 20;

/**
 * Binds an HTTP server with bounded time and connections. Node's own defaults would let a client hold a
 * request open for five minutes and check only twice a minute.
 *
 * @throws Node's `EADDRINUSE`, `EACCES` and the like when the address cannot be bound.
 */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Listening> {
  const server = createServer(
    {
      headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
      requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: options.checkIntervalMs ?? CHECK_INTERVAL_MS,
    },
    handler,
  );
  server.maxConnections = options.maxConnections ?? 10_000;
  await bind(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    port,
    close: () => drain(server, options.drainMilliseconds ?? 10_000),
  };
}

function bind(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function drain(server: Server, limitMilliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const cutOff = setTimeout(() => server.closeAllConnections(), limitMilliseconds);
    // A connection that is kept open becomes idle only when its request in flight has ended, hence again and again.
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
    server.close(() => {
      clearTimeout(cutOff);
      clearInterval(sweep);
      resolve();
    });
  });
}
