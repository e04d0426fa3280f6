import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, readCommandLine, readCount, startProgram } from '@keydesk/testing';

const usage = `Usage: npm run bench:start -- [--rounds 5]

Prints how long npm start takes, and the resident memory of its processes when they are idle. The first start compiles
the modules and registers the clients; it is printed apart. Needs Linux.`;
const { values: options } = readCommandLine(usage, { options: { rounds: { type: 'string', default: '5' } } });
const rounds = readCount('--rounds', options.rounds);
const IDLE_MS = 3_000;
const LIMIT_MS = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'bench-start-'));

try {
  for (let round = 0; round <= rounds; round += 1)
    console.log(round === 0 ? 'first start:' : `start ${round}:`, await measure());
} finally {
  rmSync(folder, { recursive: true });
}

/** Starts Keydesk, measures it and stops it. */
async function measure(): Promise<string> {
  const [authPort, apiPort] = [await findFreePort(), await findFreePort()];
  const startedAt = performance.now();
  const { child, output, ended } = startProgram(join(import.meta.dirname, '../start.ts'), {
    env: {
      DATA_DIR: folder,
      AUTH_PORT: String(authPort),
      API_PORT: String(apiPort),
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
    },
  });
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    while (!output().stdout.includes('is ready')) await once(child.stdout ?? child, 'data', { signal });
    const seconds = (performance.now() - startedAt) / 1_000;
    await sleep(IDLE_MS);
    const [auth, api] = childrenOf(child.pid).map(residentMiB);
    const [starter] = [child.pid ?? 0].map(residentMiB);
    return `ready in ${seconds.toFixed(2)} s; resident MiB: ${auth} + ${api}, and ${starter} of npm start`;
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** Returns the children of a process, oldest first. */
function childrenOf(pid: number | undefined): number[] {
  return globSync('/proc/[0-9]*')
    .map((path) => Number(path.slice('/proc/'.length)))
    .filter((each) => Number(statusOf(each, 'PPid')) === pid)
    .toSorted((one, other) => one - other);
}

function residentMiB(pid: number): number {
  return Math.round(Number.parseInt(statusOf(pid, 'VmRSS'), 10) / 1_024);
}

/** Returns a line of the status of a process; empty when the process has ended. */
function statusOf(pid: number, name: string): string {
  try {
    return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}
