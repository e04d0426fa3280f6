import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, type Program, startProgram, startTcpProxy, untilReady } from '@keydesk/testing';
import type { FaultyNetwork } from './faults.ts';
import { startObserver } from './observer.ts';
import { type Fault, type FaultResult, POLL_MS, RECOVERY_LIMIT_MS, runFault, stop } from './run-fault.ts';
import type { Target, TargetOptions } from './target.ts';

export interface FaultRun {
  /** URL of an empty database of MongoDB on this machine. */
  mongoUrl: string;
  folder: string;
  connections: number;
  createFaults(network: FaultyNetwork): readonly Fault[];
  createTarget(options: TargetOptions): Promise<Target>;
  onResult?: (result: FaultResult) => void;
}

/**
 * Starts an app while MongoDB is down, starts MongoDB, and then runs each fault under load. After each it checks that
 * nothing acknowledged is lost, doubled or applied in part.
 */
export async function runFaults(options: FaultRun): Promise<readonly FaultResult[]> {
  const { mongoUrl, folder, connections, createFaults, createTarget } = options;
  await using opened = new AsyncDisposableStack();
  const proxy = opened.adopt(await startTcpProxy(Number(new URL(mongoUrl).port)), (each) => each.close());
  const port = await findFreePort();
  const observer = opened.adopt(await startObserver(port), (each) => each.stop());
  const storageUrl = throughPort(mongoUrl, proxy.port);
  const urls = { url: observer.url, storageUrl, directUrl: mongoUrl, folder };
  const target = opened.adopt(await createTarget(urls), (each) => each.stop());
  await proxy.refuse();
  const server = opened.adopt(startTarget(target, port), stop);
  await expectWaiting(port);
  await proxy.restore();
  await untilReady(`http://127.0.0.1:${port}`, server);
  const results: FaultResult[] = [];
  for (const fault of createFaults({ proxy, directUrl: mongoUrl })) {
    const result = await runFault({ fault, connections, target, observer, server: () => server, port });
    options.onResult?.(result);
    results.push(result);
  }
  return results;
}

/** A process without its database is alive, is not ready, and answers requests with 503. */
async function expectWaiting(port: number): Promise<void> {
  const giveUpAt = performance.now() + RECOVERY_LIMIT_MS;
  const statusOf = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ status }) => status,
      () => 0,
    );
  while ((await statusOf('/healthz')) !== 200) {
    if (performance.now() > giveUpAt) throw new Error('The app does not wait for its database.');
    await sleep(POLL_MS);
  }
  const statuses = [await statusOf('/readyz'), await statusOf('/')];
  if (statuses.some((status) => status !== 503))
    throw new Error(`Without its database the app answers ${statuses.join(' and ')}.`);
}

/** Starts the app of a target on a port. */
function startTarget({ app, env }: Target, port: number): Program {
  const main = join(import.meta.dirname, `../../apps/${app}/src/main.ts`);
  return startProgram(main, { env: { ...env, API_PORT: String(port), AUTH_PORT: String(port) } });
}

/** Returns the URL of the same database behind a local port, with a direct connection. */
function throughPort(url: string, port: number): string {
  const behind = new URL(url);
  behind.host = `127.0.0.1:${port}`;
  behind.searchParams.set('directConnection', 'true');
  return behind.href;
}
