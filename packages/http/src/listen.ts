import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { toBindError } from './bind-error.ts';
import { type CertificateOptions, openCertificate } from './certificate.ts';
import { createConnectionDrain } from './connection-drain.ts';
import { limitConnections, type RefusalReport } from './connection-limit.ts';
import { closeLingering } from './lingering-close.ts';
import { withOriginForm } from './request-target.ts';

/** Where a server listens, and what holds it back. */
export interface ListenOptions {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** The setting that the port comes from, by which a port that cannot be bound is told of. */
  setting?: string;
  /** Serves TLS only, 1.2 and 1.3, with a certificate that may be renewed on the disk; without it plain HTTP. */
  tls?: CertificateOptions | undefined;
  /** Open connections beyond this are refused; at most as many as the limit of descriptors allows. */
  maxConnections?: number;
  /** Reports refused connections. */
  refusals?: RefusalReport | undefined;
  /** How long `close` waits for requests in flight before it cuts them off. */
  drainMilliseconds?: number;
  /** How long a caller may take for the headers. */
  headersTimeoutMs?: number;
  /** How long a caller may take for the whole request. */
  requestTimeoutMs?: number;
  /** How often the two are checked. */
  checkIntervalMs?: number;
}

/** A server that accepts connections. */
export interface Listening {
  /** `http://host:port` as bound, or `https://`. */
  url: string;
  port: number;
  /** Serves on, and makes each answer from now on the last of its connection. */
  drain(): void;
  /** Closes idle connections and the listener, waits for requests in flight, and cuts what is left at the limit. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CHECK_INTERVAL_MS = 5_000;
/** Short, for a connection in its handshake also delays a stop. */
const HANDSHAKE_TIMEOUT_MS = 5_000;

/**
 * Binds an HTTP server with bounded time and connections. Node's own defaults would let a client hold a
 * request open for five minutes and check only twice a minute. The handler sees the path and query of each request
 * alone, whatever form its target has.
 *
 * @throws {Error} when the address cannot be bound: Node's own where no setting was named
 * @throws {Error} when the certificate is not usable
 */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Listening> {
  const { server, release } = await createBoundedServer(withOriginForm(handler), options);
  const endReports = limitConnections(server, { ...options, report: options.refusals });
  const connections = createConnectionDrain(server, { isTls: options.tls !== undefined });
  closeLingering(server);
  await bind(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `${options.tls ? 'https' : 'http'}://${host}:${port}`,
    port,
    drain: connections.begin,
    async close() {
      release();
      endReports();
      await connections.end(options.drainMilliseconds ?? 10_000);
    },
  };
}

async function createBoundedServer(
  handler: RequestListener,
  options: ListenOptions,
): Promise<{ server: Server; release: () => void }> {
  const bounds = {
    headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
    requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: options.checkIntervalMs ?? CHECK_INTERVAL_MS,
    // Most requests have no body, and nobody has to watch for its end.
    optimizeEmptyRequests: true,
  };
  if (!options.tls) return { server: createServer(bounds, handler), release: () => undefined };
  const certificate = await openCertificate(options.tls);
  const server = createTlsServer(
    { ...certificate.options, handshakeTimeout: HANDSHAKE_TIMEOUT_MS, ...bounds },
    handler,
  );
  return { server, release: certificate.renewOn(server) };
}

async function bind(server: Server, { host, port, setting }: ListenOptions): Promise<void> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (err) {
    throw setting ? toBindError(err, { host, port, setting }) : err;
  }
}
