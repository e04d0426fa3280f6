import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newTicket } from '../../../api/tickets/new-ticket.fixture.ts';
import { adding } from '../../../helpdesk/commit/ticket-commit.fixture.ts';
import { type OpenedTwice, openTwice } from '../opened-twice.fixture.ts';

let opened: OpenedTwice;
beforeEach(async () => {
  opened = await openTwice();
});
afterEach(() => opened.close());

it('reads a ticket as another process left it before the turn of the event loop', async () => {
  const { storage, sqlite: otherProcess } = opened;
  const ticket = newTicket();
  await storage.tickets.commit([adding(ticket)]);
  const update = otherProcess.prepare(
    `UPDATE tickets SET version = version + 1, document = json_set(document, '$.version', version + 1)`,
  );
  for (const version of [2, 3, 4]) {
    await storage.tickets.find(ticket.id);
    update.run();
    await nextTurn();
    const found = await Promise.all([1, 2, 3].map(() => storage.tickets.find(ticket.id)));
    expect(found.map((record) => record?.ticket.version)).toEqual([version, version, version]);
  }
});

it('never lists a ticket older than the list, even if it was read in the same turn', async () => {
  const { storage, sqlite: otherProcess } = opened;
  const ticket = newTicket();
  await storage.tickets.commit([adding(ticket)]);
  await storage.tickets.find(ticket.id);
  otherProcess
    .prepare(
      `UPDATE tickets SET version = 2, document = json_set(document, '$.version', 2, '$.subject', 'New')`,
    )
    .run();
  const [listed] = await storage.tickets.list({
    filter: {},
    sort: { field: 'created_at', direction: 'desc' },
    limit: 1,
  });
  expect(listed?.ticket).toMatchObject({ version: 2, subject: 'New' });
});
