import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Ended,
  findFreePort,
  type Program,
  type ProgramOptions,
  startProgram,
  untilReady,
} from '@keydesk/testing';
import { onTestFinished } from 'vitest';
import { createDevelopmentSecret } from '../keys/master-secret.ts';

const SERVER = join(import.meta.dirname, '../main.ts');
const CLI = join(import.meta.dirname, '../cli/main.ts');

type Env = ProgramOptions['env'];

/** Runs the server's main.ts until its test ends. */
export function startServer(env: Env): Program {
  const server = startProgram(SERVER, { env });
  onTestFinished(() => void server.child.kill('SIGKILL'));
  return server;
}

/** A server on its own data folder, laid out as by `npm start`. */
export interface ServedFolder {
  folder: string;
  url: string;
  /** Environment of CLI commands on this folder. */
  env: Record<string, string>;
  server: Program;
  /** Stops the server and removes the folder. */
  stop(): Promise<void>;
}

/** Starts a server on a new data folder and resolves when it is ready. */
export async function serveNewFolder(): Promise<ServedFolder> {
  const folder = newLastingFolder();
  const port = await findFreePort();
  const env = { DATA_DIR: folder, AUTH_PORT: String(port) };
  const MASTER_SECRET_FILE = join(folder, 'master-secret');
  createDevelopmentSecret(MASTER_SECRET_FILE);
  const server = startProgram(SERVER, {
    env: { ...env, STORAGE_URL: `sqlite:${join(folder, 'auth.db')}`, MASTER_SECRET_FILE },
  });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, server);
  return {
    folder,
    url,
    env,
    server,
    async stop() {
      server.child.kill('SIGTERM');
      await server.ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Runs a CLI command to completion. */
export function runCli(args: readonly string[], env: Env, input?: string): Promise<Ended> {
  return startProgram(CLI, { args, env, input }).ended;
}

/** Registers a machine client with the scope `tickets:read` through the CLI. */
export async function addMachineClient(env: Env): Promise<{ id: string; secret: string }> {
  const options = ['--name', 'Importer', '--scope', 'tickets:read', '--role', 'agent', '--json'];
  const { stdout } = await runCli(['client', 'add', ...options], env);
  const { client_id: id, client_secret: secret } = JSON.parse(stdout);
  return { id, secret };
}

/** Creates a folder that is deleted when its test ends. */
export function newFolder(): string {
  const folder = newLastingFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function newLastingFolder(): string {
  return mkdtempSync(join(tmpdir(), 'keydesk-'));
}
