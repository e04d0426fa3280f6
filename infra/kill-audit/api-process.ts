import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MAIN = join(import.meta.dirname, '../../apps/tickets-api/src/main.ts');
const READY_LIMIT_MS = 30_000;

/** The API as a process of its own. */
export interface ApiProcess {
  /** Ends it as a power cut would; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Starts the API and waits until it is ready. */
export async function startApiProcess(
  url: string,
  env: Readonly<Record<string, string>>,
): Promise<ApiProcess> {
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const killed = () => void child.kill('SIGKILL');
  process.once('exit', killed);
  await untilReady(url, child);
  return {
    async kill() {
      process.off('exit', killed);
      if (child.exitCode !== null) throw new Error(`The API ended by itself with ${child.exitCode}.`);
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const giveUpAt = performance.now() + READY_LIMIT_MS;
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok) return;
    if (child.exitCode !== null || performance.now() > giveUpAt)
      throw new Error('The API did not get ready.');
    await sleep(20);
  }
}
