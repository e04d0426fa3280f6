import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const name = /^keydesk-tests-(\d+)-/;

/**
 * Creates a folder for the temporary files of a test run: `os.tmpdir()` of all suites and their child processes. Also
 * removes folders of killed runs.
 *
 * @returns a function that removes the folder
 */
export function setup(): () => void {
  const { env } = process;
  const { TMPDIR } = env;
  const parent = tmpdir();
  removeAbandoned(parent);
  const folder = mkdtempSync(join(parent, `keydesk-tests-${process.pid}-`));
  env.TMPDIR = folder;
  return () => {
    if (TMPDIR === undefined) delete env.TMPDIR;
    else env.TMPDIR = TMPDIR;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

function removeAbandoned(parent: string): void {
  for (const entry of readdirSync(parent)) {
    const pid = Number(name.exec(entry)?.[1]);
    if (pid > 0 && !isRunning(pid)) rmSync(join(parent, entry), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (err) {
    // EPERM: the process exists but belongs to another user.
    return err instanceof Error && 'code' in err && err.code === 'EPERM';
  }
}
