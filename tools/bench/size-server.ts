import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, startTestIssuer } from '@keydesk/testing';

const root = join(import.meta.dirname, '../..');
const READY_LIMIT_MS = 1_800_000;
/** Duration of a tick in /proc. */
const TICK_MS = 10;

/** The API on a database, in a separate process. */
export interface SizeServer {
  /** Sends a request as an agent, or as the customer with this address. */
  get(path: string, customer?: string): Promise<{ status: number; text: string; milliseconds: number }>;
  /** Returns resident memory in megabytes. */
  memory(): number;
  /** Returns CPU time in milliseconds, in steps of ten. */
  cpu(): number;
  stop(): Promise<void>;
}

/** Starts the API and logs slow statements to a file. Migrating an older database may take minutes. */
export async function startSizeServer(storageUrl: string, slowStatementsFile: string): Promise<SizeServer> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const issuer = await startTestIssuer({ audience: url });
  const preload = new URL('slow-statements.ts', import.meta.url);
  preload.searchParams.set('file', slowStatementsFile);
  const child = spawn(
    process.execPath,
    ['--import', preload.href, join(root, 'apps/tickets-api/src/main.ts')],
    {
      env: {
        API_PORT: String(port),
        BASE_URL: url,
        ISSUER: issuer.issuer,
        STORAGE_URL: storageUrl,
        LOG_LEVEL: 'error',
        RATE_LIMIT_READS_PER_MINUTE: '0',
        SOLVED_CLOSES_AFTER_DAYS: '0',
        PURGE_DELETED_AFTER_DAYS: '0',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const exited = once(child, 'exit');
  const giveUpAt = performance.now() + READY_LIMIT_MS;
  while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null || performance.now() > giveUpAt) throw new Error('The API is not ready.');
    await sleep(50);
  }

  const agent = () => issuer.token({ role: 'agent' });
  const customer = (email: string) =>
    issuer.token({ role: 'customer', sub: email, email, email_verified: true });
  return {
    async get(path, email) {
      const headers = { Authorization: `Bearer ${email === undefined ? agent() : customer(email)}` };
      const startedAt = performance.now();
      const response = await fetch(url + path, { headers });
      const text = await response.text();
      return { status: response.status, text, milliseconds: performance.now() - startedAt };
    },
    memory: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    cpu() {
      const [user, system] =
        readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11) ?? [];
      return (Number(user) + Number(system)) * TICK_MS;
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await issuer.stop();
    },
  };
}
