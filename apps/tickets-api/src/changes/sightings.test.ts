import { describe, expect, test } from 'vitest';
import { noFields } from '../fields/field-set.ts';
import type { Reply } from '../replies/reply.ts';
import { changed, newReference, newTicket } from '../tickets/new-ticket.fixture.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { firstRecord, nextRecord } from '../tickets/ticket-record.ts';
import { changesReaders, type Difference, toSightings } from './sightings.ts';

const [ada, bob] = [newReference(), newReference()];
const before = firstRecord(newTicket({ requester: ada }));
const { id } = before.ticket;

const reply = (visibility: Reply['visibility']): Reply => ({
  id: crypto.randomUUID(),
  ticket_id: id,
  visibility,
  author: null,
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

/** `staff ticket`, `ada reply gone` … */
function see(difference: Partial<Difference>): string[] {
  const nothing = { id, before, after: before, writtenReplies: [], removedReplies: [], otherReplies: [] };
  const names = new Map<string, string>([
    [ada.id, 'ada'],
    [bob.id, 'bob'],
  ]);
  return toSightings({ ...nothing, ...difference }).map(({ reader, resource, isGone }) =>
    [names.get(reader) ?? reader, resource, ...(isGone ? ['gone'] : [])].join(' '),
  );
}

describe('who sees a difference', () => {
  test('of what all see: staff and every reader', () => {
    expect(see({ after: next({ subject: 'y' }) })).toEqual(['staff ticket', 'ada ticket']);
  });

  test('of what staff alone see: nobody else', () => {
    expect(see({ after: next({ tags: ['vip'] }) })).toEqual(['staff ticket']);
    expect(see({ after: next({}), writtenReplies: [reply('internal')] })).toEqual([
      'staff ticket',
      'staff reply',
    ]);
  });

  test('by a public reply: all, and the reply', () => {
    const written = { after: next({}, true), writtenReplies: [reply('public')] };
    expect(see(written)).toEqual(['staff ticket', 'staff reply', 'ada ticket', 'ada reply']);
    const removed = { after: next({}, true), removedReplies: [reply('public')] };
    expect(see(removed)).toEqual(['staff ticket', 'staff reply gone', 'ada ticket', 'ada reply gone']);
  });

  test('who begins to see a ticket sees its public replies too, and who ceases to sees all of them go', () => {
    const otherReplies = [reply('public'), reply('internal')];
    const joined = { after: next({ cc: [bob] }), otherReplies };
    expect(see(joined)).toEqual(['staff ticket', 'ada ticket', 'bob ticket', 'bob reply']);
    const left = { after: next({ requester: null }), otherReplies };
    expect(see(left)).toEqual(['staff ticket', 'ada ticket gone', 'ada reply gone']);
    expect(changesReaders({ before, after: left.after })).toBe(true);
    expect(changesReaders({ before, after: next({ subject: 'y' }) })).toBe(false);
  });

  test('a deletion takes it from all, a restoration gives it back, and a purge of what was deleted tells nobody', () => {
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
