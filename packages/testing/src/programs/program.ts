import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Generous limit for busy machines; only a failing test reaches it. */
const READY_LIMIT_MS = 90_000;

/** Folder of Node's compile cache, which halves the cost of every start after the first. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'keydesk-compiled');

/** Exit code and output of a program. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A child process that is killed when this process exits. */
export interface Program {
  child: ChildProcess;
  /** Returns the output so far. */
  output(): { stdout: string; stderr: string };
  ended: Promise<Ended>;
}

/** Options of a child process. */
export interface ProgramOptions {
  args?: readonly string[] | undefined;
  /** The whole environment, except for the compile cache. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Text of its standard input. */
  input?: string | undefined;
  /**
   * Simulates a full disk: no file may grow beyond one block. Unlike mounting a small file system, this needs no
   * privileges; the error is EFBIG instead of ENOSPC.
   */
  isDiskFull?: boolean | undefined;
}

/** Shell script that runs its arguments with a limit on file size. */
const ON_FULL_DISK = 'ulimit -f 1 && exec "$0" "$@"';

/** Starts a script with this Node. */
export function startProgram(
  script: string,
  { args = [], env = {}, input = '', isDiskFull = false }: ProgramOptions = {},
): Program {
  const command = [process.execPath, script, ...args];
  const [program = '', ...rest] = isDiskFull ? ['/bin/sh', '-c', ON_FULL_DISK, ...command] : command;
  const child = spawn(program, rest, {
    env: { NODE_COMPILE_CACHE, ...env },
    stdio: 'pipe',
  });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  child.stdin.end(input);
  const ended = once(child, 'close').then(([code]) => ({ code, ...output }));
  return { child, output: () => ({ ...output }), ended };
}

/**
 * Resolves when `/readyz` of a server responds 200.
 *
 * @throws {Error} with the output when the program exits or takes too long
 */
export async function untilReady(url: string, { ended, output }: Program): Promise<void> {
  const giveUpAt = performance.now() + READY_LIMIT_MS;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok) return;
    if (isOver || performance.now() > giveUpAt)
      throw new Error(`The server is not ready: ${JSON.stringify(output())}`);
    await sleep(20);
  }
}
