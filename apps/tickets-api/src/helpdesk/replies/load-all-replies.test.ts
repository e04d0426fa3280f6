import { expect, test } from 'vitest';
import { newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import { createSqliteDatabase } from '../../storage/test-database.fixture.ts';
import { adding } from '../commit/ticket-commit.fixture.ts';
import { loadAllReplies, loadReplyTraces } from './load-all-replies.ts';
import { newReply } from './new-reply.fixture.ts';

const opened = openTwice(createSqliteDatabase);

test('reads every reply to a ticket in order, with or without its text', async () => {
  const ticket = newTicket();
  const writtenReplies = Array.from({ length: 201 }, () => newReply(ticket.id));
  const { tickets, replies } = opened.storage;
  await tickets.commit([adding(ticket, { writtenReplies })]);
  expect(await loadAllReplies(replies, ticket.id)).toEqual(writtenReplies);
  expect(await loadReplyTraces(replies, ticket.id)).toEqual(
    writtenReplies.map(({ id, ticket_id, visibility }) => ({ id, ticket_id, visibility })),
  );
});
