import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@keydesk/testing';
import { expect, onTestFinished } from 'vitest';

const READY_LIMIT_MS = 90_000;

/** Runs the start script on embedded defaults in a folder of its own. It ends with the test. */
export async function runStart(
  env: Readonly<Record<string, string>> = {},
  {
    folder = mkdtempSync(join(tmpdir(), 'start-')),
    args = [],
  }: { folder?: string; args?: readonly string[] } = {},
) {
  const [authPort, apiPort] = [await findFreePort(), await findFreePort()];
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start.ts'), ...args], {
    cwd: join(import.meta.dirname, '..'),
    env: { DATA_DIR: folder, AUTH_PORT: String(authPort), API_PORT: String(apiPort), ...env },
    stdio: 'pipe',
  });
  /** Resolves with the exit code, once all output is there. */
  const ended = once(child, 'close').then(([code]) => code as number | null);
  async function stop(): Promise<void> {
    child.kill('SIGTERM');
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
  return { folder, authPort, apiPort, output: () => output, ended, stop };
}

/** The same, once it says that both apps serve. */
export async function startKeydesk(env?: Readonly<Record<string, string>>, folder?: string) {
  const keydesk = await runStart(env, { ...(folder !== undefined && { folder }) });
  await expect.poll(keydesk.output, { timeout: READY_LIMIT_MS }).toContain('Keydesk is ready');
  const { clients } = JSON.parse(readFileSync(join(keydesk.folder, 'demo-clients.json'), 'utf8'));
  return { ...keydesk, demo: clients['machine-client'] };
}
