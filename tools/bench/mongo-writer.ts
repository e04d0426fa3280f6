import { once } from 'node:events';
import { openMongo } from '@keydesk/storage/mongo';
import { createCollections } from '@keydesk/storage/mongo-indexes';
import { newTicket } from '../../apps/tickets-api/src/api/tickets/new-ticket.fixture.ts';
import { adding } from '../../apps/tickets-api/src/helpdesk/commit/ticket-commit.fixture.ts';
import { newFeedEntry } from '../../apps/tickets-api/src/helpdesk/feed/new-feed-entry.fixture.ts';
import { newEvent } from '../../apps/tickets-api/src/helpdesk/history/new-event.fixture.ts';
import { createModels, listCollections } from '../../apps/tickets-api/src/storage/mongo/schema.ts';
import { createTicketStore } from '../../apps/tickets-api/src/storage/mongo/tickets/tickets.ts';
import { newRequest } from '../../apps/tickets-api/src/tests/idempotency.fixture.ts';

/** Figures of one process. */
export interface WriterReport {
  latencies: readonly number[];
  errors: number;
  /** Commands of transactions, per commit of a ticket. */
  commandsPerCommit: number;
  /** Commands from the first write of a document that other tickets share to the end of its commit, per commit. */
  criticalPerCommit: number;
}

/** Documents in these collections belong to many tickets. */
const shared = ['feed_positions', 'tag_counts', 'definitions'];

/** Adds tickets concurrently, as `POST /tickets` with an idempotency key does, and reports the figures. */
const [url = '', database = '', writers = '1', seconds = '1'] = process.argv.slice(2);
const connection = await openMongo({ url, database });
const models = createModels(connection);
await createCollections(connection, listCollections(models));
const tickets = createTicketStore(models, { now: () => new Date() });
const count = countCommands();
const latencies: number[] = [];
let errors = 0;

process.send?.('ready');
await once(process, 'message');
const endAt = performance.now() + 1_000 * Number(seconds);
await Promise.all(Array.from({ length: Number(writers) }, addTickets));
const report: WriterReport = {
  latencies,
  errors,
  commandsPerCommit: count.all / latencies.length,
  criticalPerCommit: count.critical / latencies.length,
};
process.send?.(report);
await connection.close();
process.disconnect();

async function addTickets(): Promise<void> {
  while (performance.now() < endAt) {
    const startedAt = performance.now();
    try {
      await addTicket();
      latencies.push(performance.now() - startedAt);
    } catch {
      errors += 1;
    }
  }
}

async function addTicket(): Promise<void> {
  const ticket = newTicket({ tags: ['printer'] });
  const feedEntries = [newFeedEntry(ticket.id), newFeedEntry(ticket.id, { reader: 'a customer' })];
  const commit = adding(ticket, { events: [newEvent(ticket.id)], feedEntries });
  const request = { records: [newRequest()], answer: ticket.id, ticketId: ticket.id };
  await tickets.commit([commit], request);
}

function countCommands() {
  const counted = { all: 0, critical: 0 };
  /** Transactions that have written a shared document, by session. */
  const holding = new Set<string>();
  connection.getClient().on('commandStarted', ({ commandName, command }) => {
    if (command.txnNumber === undefined || command.autocommit === undefined) return;
    const session = String(command.lsid?.id?.toString('hex'));
    const isWrite = ['update', 'findAndModify', 'insert', 'delete'].includes(commandName);
    if (isWrite && shared.includes(command[commandName])) holding.add(session);
    counted.all += 1;
    if (holding.has(session)) counted.critical += 1;
    if (/^(?:commit|abort)Transaction$/.test(commandName)) holding.delete(session);
  });
  return counted;
}
