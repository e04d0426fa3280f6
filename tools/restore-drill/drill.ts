import type { Operate } from '../bench/people.ts';
import { addApplicationBy } from '../bench/people.ts';
import { thisVersion } from '../side-by-side/checkout.ts';
import { createDeployment, type Running } from '../side-by-side/deployment.ts';
import { type Clients, createClients } from './clients.ts';
import type { App, Way } from './way.ts';
import { type Acknowledged, startWriters, type Writers } from './writers.ts';

/** Outcome of one drill. */
export interface DrillReport {
  /** Figures and what clients see, one line each. */
  lines: string[];
  /** Violated guarantees. */
  faults: string[];
}

interface Backup {
  startedAt: number;
  endedAt: number;
}

/** State that clients hold when the machine fails. */
interface Held {
  unused: string;
  /** Refresh token that was current at the backup, and the one it was exchanged for afterwards. */
  rotated: { before: string; after: string };
  fresh: string;
  position: string;
  ticket: { id: string; etag: string };
  agent: string;
}

const LATE_AGENT = 1;
const version = { name: 'this version', root: thisVersion };

/**
 * Backs up both databases under load, the one of `first` earlier, kills the apps, restores, and compares what was
 * acknowledged with what is there.
 */
export async function runDrill(way: Way, first: App, folder: string, writes: number): Promise<DrillReport> {
  await using started = new AsyncDisposableStack();
  const deployment = started.adopt(await createDeployment(folder, way.storage), (each) => each.stop());
  const running = await deployment.start(version);
  const operate: Operate = (args, input) => deployment.operate(version, args, input);
  const application = await addApplicationBy(operate, deployment.auth.url);
  const clients = await createClients(deployment, operate, application);
  const before = {
    unused: await clients.newFamily(),
    rotated: await clients.newFamily(),
    ticket: (await clients.createTicket()) ?? '',
  };
  const writers = startWriters(clients);
  await writers.advance(writes);
  const backups = new Map<App, Backup>();
  backups.set(first, await backUp(way, first));
  const agent = await clients.addAgent(LATE_AGENT);
  await writers.advance(writes);
  const second = first === 'auth' ? 'api' : 'auth';
  backups.set(second, await backUp(way, second));
  await writers.advance(writes);
  const held = { ...(await takeHeld(clients, before)), agent };
  await fail(way, running, writers);
  await way.restore();
  await deployment.start(version);
  const { acknowledged } = writers;
  const report = await compare({ clients, acknowledged, backup: backups.get('api') as Backup });
  report.lines.push(...(await describeClients(clients, held)));
  return report;
}

async function backUp(way: Way, app: App): Promise<Backup> {
  const startedAt = performance.now();
  await way.backUp(app);
  return { startedAt, endedAt: performance.now() };
}

async function takeHeld(
  clients: Clients,
  { unused, rotated, ticket: id }: { unused: string; rotated: string; ticket: string },
): Promise<Omit<Held, 'agent'>> {
  const { next } = await clients.refresh(rotated);
  await clients.changeTicket(id, '*');
  const { json } = await clients.get(`/ticket/${id}.json`);
  const { json: feed } = await clients.get('/changes.json?since=now');
  return {
    unused,
    rotated: { before: rotated, after: next ?? '' },
    fresh: await clients.newFamily(),
    position: String(feed.position),
    ticket: { id, etag: String(json.etag) },
  };
}

async function fail(way: Way, running: Running, writers: Writers): Promise<void> {
  await Promise.all([running.kill(), way.fail?.()]);
  await writers.stop();
}

interface Comparison {
  clients: Clients;
  acknowledged: readonly Acknowledged[];
  backup: Backup;
}

/** Counts the acknowledged tickets that are lost. None of those may predate the backup. */
async function compare({ clients, acknowledged, backup }: Comparison): Promise<DrillReport> {
  const lost: Acknowledged[] = [];
  for (const each of acknowledged)
    if ((await clients.get(`/ticket/${each.id}.json`)).status === 404) lost.push(each);
  const last = acknowledged.at(-1)?.at ?? 0;
  const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1);
  const since = acknowledged.filter(({ at }) => at > backup.startedAt).length;
  const oldest = Math.min(last, ...lost.map(({ at }) => at));
  const kept = acknowledged.filter((each) => !lost.includes(each));
  const gaps = lost.filter(({ at }) => kept.some(({ sentAt }) => sentAt > at));
  return {
    lines: [
      `backup of the API: ${seconds(backup.endedAt - backup.startedAt)} s under load, ${since} of ${acknowledged.length} writes acknowledged after its start, the last ${seconds(last - backup.startedAt)} s`,
      `lost: ${lost.length} acknowledged writes, the oldest ${seconds(last - oldest)} s before the failure`,
    ],
    faults: [
      ...lost
        .filter(({ at }) => at < backup.startedAt)
        .map(({ id }) => `the ticket ${id} precedes the backup`),
      ...gaps.map(({ id }) => `the ticket ${id} is lost, but a later one is not`),
    ],
  };
}

/** Describes the responses to clients that hold state from after the backups. */
async function describeClients(clients: Clients, held: Held): Promise<string[]> {
  const outcome = async (token: string) => (await clients.refresh(token)).error ?? 'works';
  const since = await clients.get(`/changes.json?since=${encodeURIComponent(held.position)}`);
  const change = await clients.changeTicket(held.ticket.id, held.ticket.etag);
  const agentAgain = await clients.addAgent(LATE_AGENT).then(
    (id) =>
      id === held.agent
        ? 'exists no more; added again, is the same person'
        : 'exists no more; added again, is another person',
    () => 'exists',
  );
  return [
    `feed position from after the backup: ${since.status} ${since.json.code ?? ''}`.trimEnd(),
    `If-Match with an entity tag from after the backup: ${change}`,
    `refresh token that was not used since: ${await outcome(held.unused)}`,
    `refresh token from after the backup: ${await outcome(held.rotated.after)}`,
    `its predecessor, current at the backup: ${await outcome(held.rotated.before)}`,
    `refresh token of a sign-in after the backup: ${await outcome(held.fresh)}`,
    `account from between the backups: ${agentAgain}`,
  ];
}
