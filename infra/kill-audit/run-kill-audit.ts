import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestIssuer } from '@keydesk/testing';
import { openStorage } from '../../apps/tickets-api/src/storage/open-storage.ts';
import { type ApiProcess, startApiProcess } from './api-process.ts';
import { createLedger } from './ledger.ts';
import { findFaults } from './verify.ts';
import { repeatCreations, type WriterDeps, write } from './writer.ts';

export interface KillAuditOptions {
  /** An empty database. */
  storageUrl: string;
  kills: number;
  connections: number;
  onKill?: (kill: number, acknowledged: number) => void;
}

export interface KillAudit {
  kills: number;
  /** How many requests were acknowledged, by what they did. */
  acknowledged: Readonly<Record<string, number>>;
  /** Requests that a kill left unanswered. */
  unanswered: number;
  /** What was lost, or left in part; none may be. */
  faults: readonly string[];
}

/** A kill comes at any moment from here on. */
const LEAST_ACKNOWLEDGED = 10;

/**
 * Kills the API by SIGKILL while several connections write, and after each restart looks at everything that was written
 * since the last; in the end at everything once more.
 */
export async function runKillAudit(options: KillAuditOptions): Promise<KillAudit> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const issuer = await startTestIssuer({ audience: url });
  const scope = 'tickets:read tickets:write tickets:delete';
  const token = () => issuer.token({ role: 'admin', scope });
  const env = { ...toEnv(options.storageUrl), API_PORT: String(port), BASE_URL: url, ISSUER: issuer.issuer };
  const storage = await openStorage(options.storageUrl);
  const ledger = createLedger();
  const faults: string[] = [];
  let [unanswered, api] = [0, await startApiProcess(url, env)];
  try {
    for (let kill = 1; kill <= options.kills; kill++) {
      const since = new Date().toISOString();
      const from = ledger.entries.length;
      await writeUntilKilled({ url, token: token(), ledger }, api, options.connections);
      const written = ledger.entries.slice(from);
      unanswered += written.filter(({ isInFlight }) => isInFlight).length;
      api = await startApiProcess(url, env);
      await repeatCreations({ url, token: token(), ledger });
      faults.push(...(await findFaults(storage, written, since)));
      options.onKill?.(kill, countOf(ledger.acknowledged));
    }
    faults.push(...(await findFaults(storage, ledger.entries, new Date(0).toISOString())));
  } finally {
    await api.kill();
    await storage.close();
    await issuer.stop();
  }
  return { kills: options.kills, acknowledged: ledger.acknowledged, unanswered, faults };
}

async function writeUntilKilled(deps: WriterDeps, api: ApiProcess, connections: number): Promise<void> {
  const before = countOf(deps.ledger.acknowledged);
  let isKilled = false;
  const writing = Promise.all(Array.from({ length: connections }, () => write(deps, () => isKilled)));
  while (countOf(deps.ledger.acknowledged) < before + LEAST_ACKNOWLEDGED) {
    await Promise.race([sleep(5), writing]);
  }
  await sleep(Math.random() * 200);
  await api.kill();
  isKilled = true;
  await writing;
}

function toEnv(storageUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    STORAGE_URL: storageUrl,
    RATE_LIMIT_READS_PER_MINUTE: '0',
    RATE_LIMIT_WRITES_PER_MINUTE: '0',
  };
}

function countOf(acknowledged: Readonly<Record<string, number>>): number {
  return Object.values(acknowledged).reduce((sum, count) => sum + count, 0);
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
