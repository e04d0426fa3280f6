import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server to which requests are forwarded. */
export interface Target {
  name: string;
  port: number;
}

/** Forwards each request to the next target in turn, so that one flow alternates between two versions. */
export interface Balancer {
  url: string;
  add(target: Target): void;
  /** Sends it no further requests; resolves when those in flight are answered. */
  remove(target: Target): Promise<void>;
  /** Number of responses by name of the target. */
  served: Readonly<Record<string, number>>;
  stop(): void;
}

/** Starts a load balancer on a free port. A broken connection to a target is a 502. */
export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const inFlight = new Map<Target, Set<Promise<unknown>>>();
  const served: Record<string, number> = {};
  let turn = 0;

  function handle(incoming: IncomingMessage, response: ServerResponse): void {
    const targets = [...inFlight.keys()];
    const target = targets[turn++ % targets.length];
    if (target === undefined) return void response.writeHead(502).end('no target');
    const pending = inFlight.get(target);
    const answered: Promise<unknown> = once(response, 'close').then(() => pending?.delete(answered));
    pending?.add(answered);
    const { method, url: path, headers } = incoming;
    const forwarded = request({ agent, host: '127.0.0.1', port: target.port, method, path, headers });
    forwarded.once('response', (answer) => {
      served[target.name] = (served[target.name] ?? 0) + 1;
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, 'x-served-by': target.name });
      answer.pipe(response);
    });
    forwarded.once('error', (err) => response.writeHead(502).end(`${target.name}: ${err}`));
    incoming.pipe(forwarded);
  }

  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (target) => void inFlight.set(target, new Set()),
    async remove(target) {
      const pending = inFlight.get(target);
      inFlight.delete(target);
      await Promise.all(pending ?? []);
    },
    served,
    stop() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
