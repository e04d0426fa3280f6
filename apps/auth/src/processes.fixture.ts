import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

const SERVER = join(import.meta.dirname, 'main.ts');
const CLI = join(import.meta.dirname, 'cli/main.ts');
/** Bounds nothing but a test that is lost; a machine with much to do takes its time. */
const READY_LIMIT_MS = 50_000;

type Env = Readonly<Record<string, string>>;

/** Where Node keeps what it has compiled, which halves the cost of every start but the first. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'keydesk-compiled');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A program of its own on this Node, killed when this process ends. It gets no environment but what is said. */
export interface Program {
  child: ChildProcess;
  /** What it has written so far, to the standard output and the standard error. */
  output(): { stdout: string; stderr: string };
  ended: Promise<Ended>;
}

function start(script: string, args: readonly string[], env: Env, input = ''): Program {
  const child = spawn(process.execPath, [script, ...args], {
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

/** Runs the server's main.ts until its test ends. */
export function startServer(env: Env): Program {
  const server = start(SERVER, [], env);
  onTestFinished(() => void server.child.kill('SIGKILL'));
  return server;
}

/** Runs the server's main.ts until it is stopped. */
export function startLastingServer(env: Env): Program {
  return start(SERVER, [], env);
}

/** Runs one command to its end. */
export function runCli(args: readonly string[], env: Env, input?: string): Promise<Ended> {
  return start(CLI, args, env, input).ended;
}

/** Resolves when the server at the URL can serve. */
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

/** A folder that is gone when its test ends. */
export function newFolder(): string {
  const folder = newLastingFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function newLastingFolder(): string {
  return mkdtempSync(join(tmpdir(), 'keydesk-'));
}
