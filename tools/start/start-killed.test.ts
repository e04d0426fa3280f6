import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startKeydesk } from './start.fixture.ts';

const { execPath } = process;
const [run, start] = ['run.mjs', 'start.ts'].map((name) => join(import.meta.dirname, '..', name)) as [
  string,
  string,
];

/** Kills servers left over by a failed test. */
function killServers(output: string): void {
  for (const [, pid] of output.matchAll(/"pid":(\d+)/g)) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has already exited.
    }
  }
}

describe('npm start, killed by SIGKILL', () => {
  it.each([
    ['npm', ['npm', 'start']],
    ['tools/run.mjs', [execPath, run, start]],
    ['tools/start.ts', [execPath, start]],
  ])('stops both servers gracefully when %s dies', { timeout: 120_000 }, async (_name, command) => {
    const home = mkdtempSync(join(tmpdir(), 'home-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const env = { PATH: process.env.PATH ?? '', HOME: home, LOG_LEVEL: 'info' };
    const { authPort, apiPort, output, ended, kill } = await startKeydesk(env, { command });
    onTestFinished(() => killServers(output()));
    kill('SIGKILL');
    await ended;
    for (const port of [authPort, apiPort]) {
      await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed');
    }
    expect(output().match(/"msg":"stopping"/g)).toHaveLength(2);
  });
});
