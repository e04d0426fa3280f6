import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findService, readCommandLine, readCount } from '@keydesk/testing';
import { addApplicationBy, addPersonBy, type Operate, signIn } from './bench/people.ts';
import { checkOut, hasCommit, thisVersion } from './side-by-side/checkout.ts';
import {
  createDeployment,
  type Deployment,
  type StorageUrls,
  type Version,
} from './side-by-side/deployment.ts';
import { checkTickets, type LoadOptions, startLoad } from './side-by-side/load.ts';
import { dropDatabases, expandAsNextVersion } from './side-by-side/next-version.ts';

const usage = `Usage: npm run side-by-side -- [--before COMMIT] [--rounds 3] [--connections 3] [--only sqlite|mongodb]

Runs the version before and this version of both apps on the same databases under load, behind a load balancer that
alternates between them: this version joins, the version before leaves, comes back (rollback), and leaves again. Then
the databases are expanded as by a next version while this one runs, and another process of this version joins.
On SQLite and, if TEST_MONGODB_URL is set, on MongoDB. Exits with 1 at the first failed request.`;
const { values: options } = readCommandLine(usage, {
  options: {
    before: { type: 'string', default: readBaseline() },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const rounds = readCount('--rounds', options.rounds);
const connections = readCount('--connections', options.connections);

if (!hasCommit(options.before)) {
  console.error(`Skipped: this clone does not contain the commit ${options.before} (git fetch --unshallow).`);
  process.exitCode = process.env.REQUIRE_SERVICES === '1' ? 1 : 0;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-side-by-side-'));
  try {
    await runAll(folder);
  } catch (err) {
    console.error(err instanceof Error ? err.message : err);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Commit of the version before: the newest one whose databases this version must share. */
function readBaseline(): string {
  return readFileSync(join(import.meta.dirname, 'side-by-side/version-before'), 'utf8').trim();
}

async function runAll(folder: string): Promise<void> {
  const before = { name: 'the version before', root: join(folder, 'before') };
  checkOut(options.before, before.root);
  const sqlite = { auth: `sqlite:${join(folder, 'auth.db')}`, api: `sqlite:${join(folder, 'tickets.db')}` };
  if (options.only !== 'mongodb') await runOn('SQLite', sqlite, folder, before);
  const mongo = findService('mongodb');
  if (mongo === undefined || options.only === 'sqlite') return;
  const inDatabase = (name: string) => {
    const url = new URL(mongo);
    url.pathname = `/${name}-${randomUUID().slice(0, 8)}`;
    return url.href;
  };
  await runOn('MongoDB', { auth: inDatabase('auth'), api: inDatabase('tickets') }, folder, before);
}

async function runOn(engine: string, storage: StorageUrls, folder: string, before: Version): Promise<void> {
  const startedAt = performance.now();
  await using started = new AsyncDisposableStack();
  started.defer(() => dropDatabases(storage));
  const deployment = started.adopt(await createDeployment(folder, storage), (each) => each.stop());
  const answered = await alternate(deployment, before, storage);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const served = Object.entries(deployment.api.served).map(([name, count]) => `${count} by ${name}`);
  console.log(`${engine}: ${answered} requests in ${seconds} s, none failed (API: ${served.join(', ')})`);
}

/** Runs the load through all steps of an upgrade, a rollback and an expansion; returns the number of responses. */
async function alternate(deployment: Deployment, before: Version, storage: StorageUrls): Promise<number> {
  const now = { name: 'this version', root: thisVersion };
  let old = await deployment.start(before);
  const loadOptions = await prepare(deployment, before);
  const load = startLoad(loadOptions);
  const step = async (what: string) => {
    await load.complete(rounds);
    console.error(`  ${what}: ${load.answered} requests`);
  };
  await step('the version before creates the databases');
  let current = await deployment.start(now);
  await step('this version joins');
  await old.end();
  await step('the version before has left');
  old = await deployment.start(before);
  await step('the version before is back');
  await current.end();
  await step('this version has left: rolled back');
  current = await deployment.start(now);
  await old.end();
  await expandAsNextVersion(storage);
  await step('a next version has expanded the databases');
  const another = await deployment.start(now);
  await step('another process of this version joins');
  await checkTickets(loadOptions, await load.stop());
  await Promise.all([current.end(), another.end()]);
  return load.answered;
}

/** Registers the clients and signs the users in. */
async function prepare(deployment: Deployment, version: Version): Promise<LoadOptions> {
  const operate: Operate = (args, input) => deployment.operate(version, args, input);
  const machine = await operate<{ client_id: string; client_secret: string }>([
    ...['client', 'add', '--type', 'machine', '--name', 'Load', '--role', 'agent'],
    ...['--scope', 'tickets:read tickets:write'],
  ]);
  const application = await addApplicationBy(operate, deployment.auth.url);
  const browsers = [];
  for (let i = 0; i < connections; i++)
    browsers.push(await signIn(application, await addPersonBy(operate, i)));
  const basic = Buffer.from(`${machine.client_id}:${machine.client_secret}`).toString('base64');
  return { api: deployment.api.url, application, clientAuthorization: `Basic ${basic}`, browsers };
}
