import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '../..');
const READY_LIMIT_MS = 90_000;

/** A server in a separate process. */
export interface ServerProcess {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts a baseline, which prints its address and, if requested, refresh tokens. */
export async function startBaseline(
  script: string,
  ...args: string[]
): Promise<ServerProcess & { refreshTokens: readonly string[] }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { port, refreshTokens = [] } = await readAnnouncement(child.stdout);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    refreshTokens,
    stop: () => stop(child),
  };
}

interface Announcement {
  port: number;
  refreshTokens?: string[];
}

/** Reads the single line of JSON that follows any warnings of the library. */
async function readAnnouncement(output: Readable): Promise<Announcement> {
  for await (const line of createInterface(output)) {
    if (line.startsWith('{')) return JSON.parse(line) as Announcement;
  }
  throw new Error('The baseline exited before it listened.');
}

/** Starts an app of this checkout, or of another by its absolute path, without its log output; waits until it is ready. */
export async function startServer(
  script: string,
  port: number,
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [resolve(root, script)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  const giveUpAt = Date.now() + READY_LIMIT_MS;
  while (
    !(await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > giveUpAt) throw new Error(`${script} is not ready`);
    await sleep(20);
  }
  return { url, pid: child.pid as number, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
