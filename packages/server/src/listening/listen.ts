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

/** Address and limits of a server. */
export interface ListenOptions {
  host: string;
  /** 0 selects a free port. */
  port: number;
  /** Setting that defines the port, named in the error when the port cannot be bound. */
  setting?: string;
  /** Enables TLS 1.2 and 1.3 with a certificate that is reloaded when its files change. Default: plain HTTP. */
  tls?: CertificateOptions | undefined;
  /** Maximum number of open connections; the descriptor limit may lower it. */
  maxConnections?: number;
  /** Reports refused connections. */
  refusals?: RefusalReport | undefined;
  /** Time limit of `close` for requests in flight. */
  drainMilliseconds?: number;
  /** Time limit for receiving the headers. */
  headersTimeoutMs?: number;
  /** Time limit for receiving the whole request. */
  requestTimeoutMs?: number;
  /** Interval at which both time limits are checked. */
  checkIntervalMs?: number;
}

/** A listening server. */
export interface Listening {
  /** `http://host:port` or `https://host:port` as bound. */
  url: string;
  port: number;
  /** Continues to serve, but sends `Connection: close` with each response. */
  drain(): void;
  /** Closes the listener and leaves new connections to other workers; resolves when the open ones are closed. */
  retire(): Promise<void>;
  /** Closes idle connections and the listener, waits for requests in flight, and aborts them at the limit. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CHECK_INTERVAL_MS = 5_000;
/** Short, because a connection in its handshake delays shutdown. */
const HANDSHAKE_TIMEOUT_MS = 5_000;

/**
 * Starts an HTTP server with limits on time and connections. Node's defaults let a client hold a request open for five
 * minutes and check only twice a minute. The handler receives every request-target in origin form.
 *
 * @throws {Error} when the address cannot be bound or the certificate is invalid
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
    retire: connections.retire,
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
    // Most requests have no body.
    optimizeEmptyRequests: true,
  };
  if (!options.tls) return { server: createServer(bounds, handler), release: () => undefined };
  const certificate = await openCertificate(options.tls);
  const server = createTlsServer(
    { ...certificate.options, handshakeTimeout: HANDSHAKE_TIMEOUT_MS, ...bounds },
    handler,
  );
  return { server, release: certificate.watch(server) };
}

async function bind(server: Server, { host, port, setting }: ListenOptions): Promise<void> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (err) {
    throw setting ? toBindError(err, { host, port, setting }) : err;
  }
}
