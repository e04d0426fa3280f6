import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findService, readCommandLine, readCount } from '@keydesk/testing';
import { choosePorts, createDeployment } from './rolling-restart/deployment.ts';
import { exchange, type LoadReport, sendLoad } from './rolling-restart/load.ts';
import {
  failTimeoutSeconds,
  type RunningProxy,
  startCaddy,
  startHaproxy,
  startNginx,
} from './rolling-restart/proxies.ts';

const usage = `Usage: npm run rolling-restart -- [--requests 13500] [--rounds 2]

Restarts two processes of each app in turn under load, behind nginx, HAProxy and Caddy as configured in infra/.
Exits with 1 when a request fails.`;
const { values: options } = readCommandLine(usage, {
  options: {
    requests: { type: 'string', default: '13500' },
    rounds: { type: 'string', default: '2' },
  },
});
const load = {
  requests: readCount('--requests', options.requests),
  rounds: readCount('--rounds', options.rounds),
};
const { env } = process;
/** nginx counts whole seconds, and may have tried a restarted process in the moment before it listened. */
const AFTER_FAIL_TIMEOUT_SECONDS = 2;
const PROBE_PAUSE_MS = 100;
const MAX_SHOWN = 20;
const hosts = ['auth.example.com', 'api.example.com'];

const missing = (['nginx', 'haproxy', 'caddy'] as const).filter((name) => findService(name) === undefined);
if (missing.length > 0) {
  console.error(`The rolling restart is skipped: ${missing.join(', ')} not installed.`);
  process.exitCode = env.REQUIRE_SERVICES === '1' ? 1 : 0;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-rolling-restart-'));
  try {
    process.exitCode = await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs load and restarts; resolves with the exit code. */
async function run(folder: string): Promise<number> {
  await using started = new AsyncDisposableStack();
  const ports = await choosePorts();
  const deployment = started.adopt(createDeployment({ folder, ports }), (each) => each.stop());
  await deployment.startAuth();
  const nginx = started.adopt(await startNginx({ folder, ports }), (each) => each.stop());
  const haproxy = started.adopt(await startHaproxy({ folder, ports }), (each) => each.stop());
  const caddy = started.adopt(await startCaddy({ folder, ports }), (each) => each.stop());
  const proxies = [nginx, haproxy, caddy];
  await deployment.startApi(`http://127.0.0.1:${nginx.port}/jwks`);
  const clientAuthorization = deployment.addClient();

  let isOver = false;
  const reports = Promise.all(
    proxies.map((proxy) => sendLoad({ ...load, clientAuthorization, proxy, isOver: () => isOver })),
  );
  for (let restart = 0; restart < 2 * load.rounds; restart++) {
    // The proxies need the other processes until they send to the restarted ones again.
    await sleep((failTimeoutSeconds + AFTER_FAIL_TIMEOUT_SECONDS) * 1_000);
    await deployment.restart(restart % 2, () => probe(proxies));
    console.error(`${restart + 1} of ${2 * load.rounds} restarts`);
  }
  isOver = true;
  const received = await reports;
  // The logs first: they are long, and the failed requests must be among the last lines.
  received.forEach(({ failures }, i) => {
    if (failures.length > 0) console.log(proxies[i]?.log());
  });
  const failed = received.map((report, i) => show(report, proxies[i]));
  return failed.includes(true) ? 1 : 0;
}

/** Requests readiness through each proxy; nginx detects a draining process only by failed requests. */
async function probe(proxies: readonly RunningProxy[]): Promise<void> {
  const probes = proxies.flatMap(({ port }) =>
    hosts.map((host) => exchange(false, port, { host, path: '/readyz' })),
  );
  await Promise.all(probes);
  await sleep(PROBE_PAUSE_MS);
}

function show({ answered, posts, failures }: LoadReport, proxy: RunningProxy | undefined): boolean {
  console.log(`${proxy?.name}: ${answered} answered, ${posts} of them POSTs; ${failures.length} failed`);
  for (const failure of failures.slice(0, MAX_SHOWN)) console.log(`  ${failure}`);
  return failures.length > 0;
}
