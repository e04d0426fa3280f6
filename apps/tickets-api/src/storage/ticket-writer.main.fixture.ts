import { once } from 'node:events';
import { withPatience } from '@keydesk/testing';
import { changed, newTicket } from '../api/tickets/new-ticket.fixture.ts';
import { adding, changing } from '../helpdesk/commit/ticket-commit.fixture.ts';
import { newFeedEntry } from '../helpdesk/feed/new-feed-entry.fixture.ts';
import { newEvent } from '../helpdesk/history/new-event.fixture.ts';
import { newReply } from '../helpdesk/replies/new-reply.fixture.ts';
import { newRequest } from '../tests/idempotency.fixture.ts';
import { openStorage } from './open-storage.ts';

/** Number of concurrent writes. */
const LANES = 4;

/** Arguments of `startTicketWriter`. The program prints the id of each ticket whose write is acknowledged. */
const [storageUrl = '', task, subject = '', times] = process.argv.slice(2);
const storage = withPatience(await openStorage(storageUrl));
const { tickets } = storage;
let left = Number(times);

async function insert(): Promise<void> {
  while (left-- > 0) {
    const ticket = newTicket({ tags: [subject] });
    await tickets.commit([adding(ticket, belongings(ticket.id))]);
    acknowledge(ticket.id);
  }
}

/** Inserts tickets, and after each one changes the previous one. */
async function change(): Promise<void> {
  let before = newTicket({ tags: [subject] });
  await tickets.commit([adding(before, belongings(before.id))]);
  while (left-- > 0) {
    const ticket = newTicket({ tags: [subject] });
    await tickets.commit([
      adding(ticket, belongings(ticket.id)),
      changing(changed(before), belongings(before.id)),
    ]);
    acknowledge(before.id);
    before = ticket;
  }
}

/** Returns a reply, an event and feed entries of a ticket for the reader `subject`. */
function belongings(ticketId: string) {
  const reply = newReply(ticketId);
  const seen = newFeedEntry(ticketId, { reader: subject });
  return {
    writtenReplies: [reply],
    events: [newEvent(ticketId)],
    feedEntries: [seen, { ...seen, resource: 'reply' as const, id: reply.id }],
  };
}

async function repeat(): Promise<void> {
  const record = newRequest({ key: subject });
  while (left-- > 0) {
    const ticket = newTicket({ tags: [subject] });
    const request = { records: [record], answer: ticket.id, ticketId: ticket.id };
    const outcome = await tickets.commit([adding(ticket)], request);
    if (outcome.outcome === 'committed') acknowledge(ticket.id);
    else if (outcome.outcome === 'replayed') acknowledge(String(outcome.answer));
    else throw new Error(`Unexpected outcome of a repeated request: ${outcome.outcome}.`);
  }
}

async function increment(): Promise<void> {
  while (left > 0) {
    const current = await tickets.find(subject);
    if (!current) throw new Error('The ticket to increment does not exist.');
    const count = Number(current.ticket.custom_fields.count) + 1;
    const next = changed(current.ticket, { custom_fields: { count } });
    const { outcome } = await tickets.commit([changing(next)]);
    if (outcome !== 'committed') continue;
    left -= 1;
    acknowledge(subject);
  }
}

function acknowledge(id: string): void {
  process.stdout.write(`${id}\n`);
}

process.send?.('ready');
await once(process, 'message');
if (task === 'increment') await increment();
else if (task === 'change') await change();
else await Promise.all(Array.from({ length: LANES }, task === 'repeat' ? repeat : insert));
await storage.close();
process.disconnect();
