import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCommandLine, readCount, refuseCommandLine } from '@keydesk/testing';
import { changed, newTicket } from '../../apps/tickets-api/src/api/tickets/new-ticket.fixture.ts';
import { adding, changing } from '../../apps/tickets-api/src/helpdesk/commit/ticket-commit.fixture.ts';
import { newFeedEntry } from '../../apps/tickets-api/src/helpdesk/feed/new-feed-entry.fixture.ts';
import { createMongoDatabase } from '../../apps/tickets-api/src/storage/test-database.fixture.ts';

const USAGE = `Usage: npm run bench:stopped -- [--stops 10] [--seconds 4]

Stops a process (SIGSTOP) that changes one ticket on MongoDB (TEST_MONGODB_URL) all the time, and prints how long
another process waits meanwhile: with a change of the same ticket, new tickets, and reads of the feed of staff.`;

const { values } = readCommandLine(USAGE, {
  options: { stops: { type: 'string', default: '10' }, seconds: { type: 'string', default: '4' } },
});
const stops = readCount('--stops', values.stops);
const seconds = readCount('--seconds', values.seconds);
const { TEST_MONGODB_URL: serverUrl = '' } = process.env;
if (serverUrl === '') refuseCommandLine('TEST_MONGODB_URL is not set.');

const database = await createMongoDatabase(serverUrl);
const storage = await database.open();
const hot = newTicket({ custom_fields: { count: 0 } });
await storage.tickets.commit([adding(hot)]);
const program = join(import.meta.dirname, '../../apps/tickets-api/src/storage/ticket-writer.main.fixture.ts');
const child = fork(program, [database.storageUrl, 'increment', hot.id, 'Infinity'], { silent: true });
await once(child, 'message');
child.send('start');

let isOver = false;
let stoppedAt: number | undefined;
const longest: Record<string, number> = {};

/** Repeats an operation and keeps the longest time that it took during a stop. */
async function repeat(name: string, operation: () => Promise<unknown>): Promise<void> {
  while (!isOver) {
    const startedAt = performance.now();
    await operation();
    if (stoppedAt === undefined) continue;
    const waitMs = Math.round(performance.now() - Math.max(startedAt, stoppedAt));
    longest[name] = Math.max(longest[name] ?? 0, waitMs);
  }
}

async function changeSameTicket(): Promise<void> {
  const found = await storage.tickets.find(hot.id);
  if (found) {
    await storage.tickets.commit([changing(changed(found.ticket), { feedEntries: [newFeedEntry(hot.id)] })]);
  }
}

async function addTicket(): Promise<void> {
  const ticket = newTicket();
  await storage.tickets.commit([adding(ticket, { feedEntries: [newFeedEntry(ticket.id)] })]);
}

async function readFeed(): Promise<void> {
  const { last } = await storage.changes.bounds('staff');
  await storage.changes.list({ reader: 'staff', after: last, limit: 10 });
  await sleep(50);
}

async function stopChild(): Promise<void> {
  for (let i = 0; i < stops; i++) {
    await sleep(1_000 + 500 * Math.random());
    child.kill('SIGSTOP');
    stoppedAt = performance.now();
    await sleep(1_000 * seconds);
    stoppedAt = undefined;
    child.kill('SIGCONT');
  }
  isOver = true;
}

await Promise.all([
  stopChild(),
  repeat('change of the same ticket', changeSameTicket),
  repeat('new ticket', addTicket),
  repeat('read of the feed', readFeed),
]);
console.table(longest);
child.kill('SIGKILL');
await storage.close();
await database.drop();
