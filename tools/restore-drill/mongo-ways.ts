import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort, isListening } from '@keydesk/testing';
import { createConnection, type mongo } from 'mongoose';
import { poll } from '../rolling-restart/poll.ts';
import { thisVersion } from '../side-by-side/checkout.ts';
import type { App, Way } from './way.ts';

const run = promisify(execFile);
const standIn = join(homedir(), '.cache/keydesk/secantusdb/bin/secantusd-py');

/** Whether the server that stands in for MongoDB is installed (see `tools/test-services.sh`). */
export function hasMongoServer(): boolean {
  return existsSync(standIn);
}

/** A server of its own on a folder, so that its files can be copied. */
interface MongoServer {
  storage: Way['storage'];
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Copies the files of one moment: the process is stopped during the copy, as by a snapshot of the volume. */
  copyFiles(target: string): void;
  /** Replaces the files by a copy, or by none. */
  replaceFiles(source?: string): void;
}

async function createServer(folder: string): Promise<MongoServer> {
  mkdirSync(folder);
  const port = await findFreePort();
  const files = join(folder, 'files');
  const urlOf = (database: string) => `mongodb://127.0.0.1:${port}/${database}?maxPoolSize=10`;
  let child: ChildProcess | undefined;
  process.once('exit', () => child?.kill('SIGKILL'));
  return {
    storage: { auth: urlOf('auth'), api: urlOf('tickets') },
    async start() {
      const args = ['--port', String(port), '--storage-path', files, '--sync-on-commit'];
      child = spawn(standIn, args, { stdio: 'ignore' });
      await poll('the MongoDB server', () => isListening(port));
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    copyFiles(target) {
      child?.kill('SIGSTOP');
      cpSync(files, target, { recursive: true });
      child?.kill('SIGCONT');
    },
    replaceFiles(source) {
      renameSync(files, join(folder, 'old'));
      if (source !== undefined) cpSync(source, files, { recursive: true });
    },
  };
}

/** A snapshot of the volume. Both databases are on it, so the later one is restored. */
export async function createSnapshotWay(folder: string): Promise<Way> {
  const server = await createServer(folder);
  await server.start();
  const copy = join(folder, 'snapshot');
  return {
    name: 'MongoDB, snapshot of the volume',
    storage: server.storage,
    async backUp() {
      rmSync(copy, { recursive: true, force: true });
      server.copyFiles(copy);
    },
    fail: server.kill,
    async restore() {
      server.replaceFiles(copy);
      await server.start();
      await restartFeeds(server.storage.api);
    },
    stop: server.kill,
  };
}

type Dump = Map<string, mongo.BSON.Document[]>;

/** A dump of each database in one snapshot session, loaded into an empty server. `mongodump --oplog` is as consistent. */
export async function createDumpWay(folder: string): Promise<Way> {
  const server = await createServer(folder);
  await server.start();
  const dumps = new Map<App, Dump>();
  return {
    name: 'MongoDB, dump',
    storage: server.storage,
    async backUp(app) {
      dumps.set(app, await dump(server.storage[app]));
    },
    fail: server.kill,
    async restore() {
      server.replaceFiles();
      await server.start();
      for (const [app, documents] of dumps) await load(server.storage[app], documents);
      await restartFeeds(server.storage.api);
    },
    stop: server.kill,
  };
}

async function dump(url: string): Promise<Dump> {
  const connection = await createConnection(url).asPromise();
  const session = await connection.startSession({ snapshot: true });
  const found: Dump = new Map();
  for (const { name } of await connection.listCollections())
    found.set(name, await connection.collection(name).find({}, { session }).toArray());
  await session.endSession();
  await connection.close();
  return found;
}

async function load(url: string, documents: Dump): Promise<void> {
  const connection = await createConnection(url).asPromise();
  for (const [name, each] of documents)
    if (each.length > 0)
      await connection.collection(name).insertMany(each as mongo.OptionalId<mongo.BSON.Document>[]);
  await connection.close();
}

async function restartFeeds(url: string): Promise<void> {
  const cli = join(thisVersion, 'apps/tickets-api/src/cli/main.ts');
  await run(process.execPath, [cli, 'changes', 'restart'], { env: { ...process.env, STORAGE_URL: url } });
}
