import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const APPS = join(import.meta.dirname, '../../apps');
const READY_LIMIT_MS = 90_000;

/** An app in a separate process. */
export interface KillableProcess {
  /** Kills the process with SIGKILL; resolves when it has exited. */
  kill(): Promise<void>;
}

/** Starts an app by the name of its workspace and waits until it is ready. */
export async function startKillable(
  app: string,
  url: string,
  env: Readonly<Record<string, string>>,
): Promise<KillableProcess> {
  const main = join(APPS, app, 'src/main.ts');
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const killed = () => void child.kill('SIGKILL');
  process.once('exit', killed);
  await untilReady(url, child);
  return {
    async kill() {
      process.off('exit', killed);
      if (child.exitCode !== null) throw new Error(`The app exited by itself with ${child.exitCode}.`);
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
    if (child.exitCode !== null || performance.now() > giveUpAt) throw new Error('The app is not ready.');
    await sleep(20);
  }
}
