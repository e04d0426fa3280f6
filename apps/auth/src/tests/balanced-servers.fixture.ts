import { once } from 'node:events';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findFreePort, type Program, type ProgramOptions, startProgram, untilReady } from '@keydesk/testing';

const MAIN = new URL('../main.ts', import.meta.url).pathname;
const PROCESSES = 2;

/** Two server processes on one database, behind a round-robin balancer. */
export interface BalancedServers {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts both processes and resolves when they are ready.
 *
 * @param host of the issuer
 */
export async function startBalancedServers(
  env: ProgramOptions['env'],
  host: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<BalancedServers> {
  const ports: number[] = [];
  const balancer = createBalancer(ports).listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  const url = `http://${host}:${(balancer.address() as AddressInfo).port}`;

  const programs: Program[] = [];
  for (let i = 0; i < PROCESSES; i += 1) {
    const port = await findFreePort();
    const program = startProgram(MAIN, { env: { ...env, ISSUER: url, AUTH_PORT: String(port) } });
    await untilReady(`http://127.0.0.1:${port}`, program);
    programs.push(program);
    ports.push(port);
  }

  return {
    url,
    async stop() {
      balancer.close().closeAllConnections();
      for (const { child } of programs) child.kill('SIGTERM');
      await Promise.all(programs.map(({ ended }) => ended));
    },
  };
}

function createBalancer(ports: readonly number[]): Server {
  let turn = 0;
  const server = createServer((request, response) => {
    const { url: path, method, headers } = request;
    const port = ports[turn++ % ports.length];
    request.pipe(
      forward({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  // An idle connection that either side closes would fail the request that reuses it on a busy machine.
  server.keepAliveTimeout = 0;
  return server;
}
