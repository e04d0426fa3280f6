import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@keydesk/testing';
import { expect, onTestFinished } from 'vitest';

const READY_LIMIT_MS = 90_000;

const START = join(import.meta.dirname, '../start.ts');

/** Runs the start script, or a command that runs it, in a new data folder until the test ends. */
export async function runStart(
  env: Readonly<Record<string, string>> = {},
  {
    folder = mkdtempSync(join(tmpdir(), 'start-')),
    command = [process.execPath, START],
    args = [],
  }: { folder?: string; command?: readonly string[]; args?: readonly string[] } = {},
) {
  const [authPort, apiPort] = [await findFreePort(), await findFreePort()];
  const [program = '', ...first] = command;
  const child = spawn(program, [...first, ...args], {
    cwd: join(import.meta.dirname, '../..'),
    env: { DATA_DIR: folder, AUTH_PORT: String(authPort), API_PORT: String(apiPort), ...env },
    stdio: 'pipe',
  });
  /** Resolves with the exit code when all processes that share its output have exited. */
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const kill = (signal: NodeJS.Signals) => child.kill(signal);
  const { pid } = child;
  async function stop(): Promise<void> {
    kill('SIGTERM');
    await ended;
  }
  onTestFinished(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return { pid, folder, authPort, apiPort, output: () => output, ended, kill, stop };
}

/** Runs the start script and waits until both apps are ready. */
export async function startKeydesk(
  env?: Readonly<Record<string, string>>,
  options?: Parameters<typeof runStart>[1],
) {
  const keydesk = await runStart(env, options);
  await expect.poll(keydesk.output, { timeout: READY_LIMIT_MS }).toContain('Keydesk is ready');
  const { clients } = JSON.parse(readFileSync(join(keydesk.folder, 'demo-clients.json'), 'utf8'));
  return { ...keydesk, demo: clients['machine-client'] };
}
