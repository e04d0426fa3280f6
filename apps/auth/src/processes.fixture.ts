import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ended, type Program, type ProgramOptions, startProgram } from '@keydesk/testing';
import { onTestFinished } from 'vitest';

const SERVER = join(import.meta.dirname, 'main.ts');
const CLI = join(import.meta.dirname, 'cli/main.ts');

type Env = ProgramOptions['env'];

/** Runs the server's main.ts until its test ends. */
export function startServer(env: Env): Program {
  const server = startProgram(SERVER, { env });
  onTestFinished(() => void server.child.kill('SIGKILL'));
  return server;
}

/** Runs the server's main.ts until it is stopped. */
export function startLastingServer(env: Env): Program {
  return startProgram(SERVER, { env });
}

/** Runs one command to its end. */
export function runCli(args: readonly string[], env: Env, input?: string): Promise<Ended> {
  return startProgram(CLI, { args, env, input }).ended;
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
