import { describe, expect, test } from 'vitest';
import { changed, newReference, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { noFields } from '../fields/field-set.ts';
import type { Reply } from '../replies/reply.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { firstRecord, nextRecord } from '../tickets/ticket-record.ts';
import { changesAccess, type TicketDifference, toFeedEntries } from './feed-entries.ts';

const [ada, bob] = [newReference(), newReference()];
const before = firstRecord(newTicket({ requester: ada }));
const { id } = before.ticket;

const reply = (visibility: Reply['visibility']): Reply => ({
  id: crypto.randomUUID(),
  ticket_id: id,
  visibility,
  author: { type: 'client', id: 'night-shift-bot', email: null, name: null },
  incoming: false,
  counts_as_reply: visibility === 'public',
  body: 'x',
  created_at: before.publicUpdatedAt,
  updated_at: before.publicUpdatedAt,
  version: 1,
});

function next(fields: Partial<Ticket>, isPublicReply = false) {
  return nextRecord(before, changed(before.ticket, fields), {
    now: new Date(),
    isPublicReply,
    fields: noFields,
  });
}

/** Returns the entries of a change as `staff ticket`, `ada reply gone` and the like. */
function see(difference: Partial<TicketDifference>): string[] {
  const nothing = { id, before, after: before, writtenReplies: [], removedReplies: [], otherReplies: [] };
  const names = new Map<string, string>([
    [ada.id, 'ada'],
    [bob.id, 'bob'],
  ]);
  return toFeedEntries({ ...nothing, ...difference }).map(({ reader, resource, isDeleted }) =>
    [names.get(reader) ?? reader, resource, ...(isDeleted ? ['gone'] : [])].join(' '),
  );
}

describe('readers of a change', () => {
  test('a public change is for staff and every customer on the ticket', () => {
    expect(see({ after: next({ subject: 'y' }) })).toEqual(['staff ticket', 'ada ticket']);
  });

  test('an internal change is only for staff', () => {
    expect(see({ after: next({ tags: ['vip'] }) })).toEqual(['staff ticket']);
    expect(see({ after: next({}), writtenReplies: [reply('internal')] })).toEqual([
      'staff ticket',
      'staff reply',
    ]);
  });

  test('a public reply is for staff and every customer on the ticket', () => {
    const written = { after: next({}, true), writtenReplies: [reply('public')] };
    expect(see(written)).toEqual(['staff ticket', 'staff reply', 'ada ticket', 'ada reply']);
    const removed = { after: next({}, true), removedReplies: [reply('public')] };
    expect(see(removed)).toEqual(['staff ticket', 'staff reply gone', 'ada ticket', 'ada reply gone']);
  });

  test('a customer who gains access gets the public replies too; one who loses access gets tombstones', () => {
    const otherReplies = [reply('public'), reply('internal')];
    const joined = { after: next({ cc: [bob] }), otherReplies };
    expect(see(joined)).toEqual(['staff ticket', 'ada ticket', 'bob ticket', 'bob reply']);
    const left = { after: next({ requester: null }), otherReplies };
    expect(see(left)).toEqual(['staff ticket', 'ada ticket gone', 'ada reply gone']);
    expect(changesAccess({ before, after: left.after })).toBe(true);
    expect(changesAccess({ before, after: next({ subject: 'y' }) })).toBe(false);
  });

  test('a deletion is a tombstone for all, a restoration reverts it, and a purge writes no entries', () => {
    const otherReplies = [reply('internal')];
    const deleted = next({ deleted_at: before.publicUpdatedAt });
    expect(see({ after: deleted, otherReplies })).toEqual([
      'staff ticket gone',
      'staff reply gone',
      'ada ticket gone',
    ]);
    expect(see({ before: deleted, after: before, otherReplies })).toEqual([
      'staff ticket',
      'staff reply',
      'ada ticket',
    ]);
    expect(see({ before: deleted, after: undefined, otherReplies })).toEqual([]);
  });
});
