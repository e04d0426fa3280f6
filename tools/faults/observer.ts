import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Responses of an app as its clients receive them. */
export interface Observations {
  /** Number of responses by status. */
  statuses: Record<number, number>;
  longestMs: number;
  /** Responses that no client should get. */
  faults: string[];
}

/** A proxy in front of an app that records every response. */
export interface Observer {
  url: string;
  /** Returns the observations since the last call. */
  take(): Observations;
  stop(): void;
}

/** Sum of all time limits in docs/operations/mongodb.md, and as much again for a busy machine. */
const DEADLINE_MS = 30_000;

/** Starts a proxy to an app on a loopback port. */
export async function startObserver(appPort: number): Promise<Observer> {
  let observed = createObservations();

  function observe(request: IncomingMessage, response: ServerResponse): void {
    const { method, url: path, headers } = request;
    const startedAt = performance.now();
    const what = `${method} ${path?.split('?')[0]}`;
    const sent = forward({ host: '127.0.0.1', port: appPort, path, method, headers, agent: false });
    sent.once('response', (answer) => {
      record(observed, what, answer, performance.now() - startedAt);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.once('error', (err) => {
      observed.faults.push(`${what}: no response (${err.message})`);
      response.writeHead(502).end();
    });
    request.pipe(sent);
  }

  const server = createServer(observe).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = observed;
      observed = createObservations();
      return taken;
    },
    stop: () => void server.close().closeAllConnections(),
  };
}

const createObservations = (): Observations => ({ statuses: {}, longestMs: 0, faults: [] });

/** Each response is a success, the fault of the client, or 503 with `Retry-After` within the deadline. */
function record(observed: Observations, what: string, answer: IncomingMessage, tookMs: number): void {
  const { statusCode: status = 0, headers } = answer;
  observed.statuses[status] = (observed.statuses[status] ?? 0) + 1;
  observed.longestMs = Math.max(observed.longestMs, Math.round(tookMs));
  if (status >= 500 && status !== 503) observed.faults.push(`${what}: ${status}`);
  if (status === 503 && headers['retry-after'] === undefined)
    observed.faults.push(`${what}: 503 without Retry-After`);
  if (tookMs > DEADLINE_MS) observed.faults.push(`${what}: ${status} after ${Math.round(tookMs)} ms`);
}
