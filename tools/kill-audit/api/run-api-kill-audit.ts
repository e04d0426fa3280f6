import { findFreePort, startTestIssuer } from '@keydesk/testing';
import { openStorage } from '../../../apps/tickets-api/src/storage/open-storage.ts';
import type { KillAudit, KillAuditOptions } from '../kill-audit.ts';
import { countOf, killDuring } from '../kill-during.ts';
import { startKillable } from '../killable-process.ts';
import { createLedger } from './ledger.ts';
import { findFaults } from './verify.ts';
import { repeatCreations, write } from './writer.ts';

const LEAST_ACKNOWLEDGED = 10;

/**
 * Kills the API with SIGKILL during concurrent writes. After each restart it checks everything written since the last
 * one; at the end it checks everything again.
 */
export async function runApiKillAudit(options: Omit<KillAuditOptions, 'folder'>): Promise<KillAudit> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const issuer = await startTestIssuer({ audience: url });
  const scope = 'tickets:read tickets:write tickets:delete';
  const token = () => issuer.token({ role: 'admin', scope });
  const env = {
    ...toApiEnv(options.storageUrl),
    API_PORT: String(port),
    BASE_URL: url,
    ISSUER: issuer.issuer,
  };
  const storage = await openStorage(options.storageUrl);
  const ledger = createLedger();
  const faults: string[] = [];
  let [unanswered, api] = [0, await startKillable('tickets-api', url, env)];
  try {
    for (let kill = 1; kill <= options.kills; kill++) {
      const since = new Date().toISOString();
      const from = ledger.entries.length;
      const deps = { url, token: token(), ledger };
      const load = {
        ...options,
        ...ledger,
        least: LEAST_ACKNOWLEDGED,
        write: (isOver: () => boolean) => write(deps, isOver),
      };
      await killDuring(load, api);
      const written = ledger.entries.slice(from);
      unanswered += written.filter(({ isInFlight }) => isInFlight).length;
      api = await startKillable('tickets-api', url, env);
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

/** Returns the environment of an audited API, without its URLs. */
export function toApiEnv(storageUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    STORAGE_URL: storageUrl,
    RATE_LIMIT_READS_PER_MINUTE: '0',
    RATE_LIMIT_WRITES_PER_MINUTE: '0',
  };
}
