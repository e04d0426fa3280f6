import { once } from 'node:events';
import { newRequest } from '../idempotency.fixture.ts';
import { changed, newTicket } from '../tickets/new-ticket.fixture.ts';
import { openTicketStore } from './open-ticket-store.ts';

/** How many writes are in flight at once. */
const LANES = 4;

/** The program that `startTicketWriter` runs: it prints the id of a ticket once its write is acknowledged. */
const [storageUrl = '', task, subject = '', times] = process.argv.slice(2);
const store = await openTicketStore(storageUrl);
let left = Number(times);

async function insert(): Promise<void> {
  while (left-- > 0) {
    const ticket = newTicket({ tags: [subject] });
    await store.insert(ticket);
    acknowledge(ticket.id);
  }
}

async function repeat(): Promise<void> {
  const request = newRequest({ key: subject });
  while (left-- > 0) {
    const insertion = await store.insert(newTicket({ tags: [subject] }), request);
    if (insertion.outcome === 'mismatch') throw new Error('The same request is told to be another.');
    acknowledge(insertion.resource.id);
  }
}

async function increment(): Promise<void> {
  while (left > 0) {
    const current = await store.find(subject);
    if (!current) throw new Error('The ticket to count in is gone.');
    const count = Number(current.custom_fields.count) + 1;
    const isWon = await store.replace(changed(current, { custom_fields: { count } }), current.version);
    if (!isWon) continue;
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
else await Promise.all(Array.from({ length: LANES }, task === 'repeat' ? repeat : insert));
await store.close();
process.disconnect();
