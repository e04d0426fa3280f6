import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Bounds nothing but a test that is lost; a machine with much to do takes its time. */
const READY_LIMIT_MS = 90_000;

/** Where Node keeps what it has compiled, which halves the cost of every start but the first. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'keydesk-compiled');

/** How a program ended, and all that it wrote. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A program in a process of its own, which does not outlive this one. */
export interface Program {
  child: ChildProcess;
  /** What it has written so far, to the standard output and the standard error. */
  output(): { stdout: string; stderr: string };
  ended: Promise<Ended>;
}

/** What a program is started with. */
export interface ProgramOptions {
  args?: readonly string[] | undefined;
  /** All of its environment, but for what makes it start faster. */
  env?: Readonly<Record<string, string>> | undefined;
  /** What stands on its standard input. */
  input?: string | undefined;
  /**
   * Lets it write nothing to files, as on a full disk: no file may grow beyond a block. Needs no right of its own, as a
   * small file system would. The error is EFBIG instead of ENOSPC.
   */
  isDiskFull?: boolean | undefined;
}

/** Runs the arguments of the shell with a limit on the length of files. */
const ON_FULL_DISK = 'ulimit -f 1 && exec "$0" "$@"';

/** Starts a script on this Node. */
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
 * Resolves when the server at a URL answers its `/readyz` with 200.
 *
 * @throws {Error} with what the program has written, when it ends or takes too long
 */
export async function untilReady(url: string, { ended, output }: Program): Promise<void> {
  const giveUpAt = performance.now() + READY_LIMIT_MS;
  let isOver = false;
  ended.then(() => {
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
