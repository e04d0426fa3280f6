import { randomUUID } from 'node:crypto';
import { describeWith } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import type { EventFilter } from '../../helpdesk/history/event-search.ts';
import type { PersonQuery } from '../../helpdesk/people/person-store.ts';
import { searchEvents, selectEvents } from './commit/events.ts';
import { explainWalks } from './explained.fixture.ts';
import { selectChanges, selectTombstones } from './feed/changes.ts';
import { useModels } from './models.fixture.ts';
import { selectPendingMaskings, selectPendingMerges, selectPeople } from './people/people.ts';
import { selectByExternalId } from './tickets/list-reader.ts';
import { selectReplies } from './tickets/replies.ts';
import { selectByWords } from './tickets/texts.ts';

const ada = { value: 'ada@example.com', id: randomUUID() };

describeWith('mongodb', 'an index is walked', (url) => {
  const ticketId = randomUUID();
  const models = useModels(url);

  describe.each([
    [false, 'in_order', 'by_ticket'],
    [true, 'in_order_by_visibility', 'by_ticket_and_visibility'],
  ])('of one ticket (public only: %s)', (isPublicOnly, ofReplies, ofEvents) => {
    it.each(['asc', 'desc'] as const)('use an index for replies and events, %s', async (direction) => {
      const id = randomUUID();
      const query = { ticketId, isPublicOnly, direction, limit: 50 };
      const reply = { id, created_at: '2026-03-01T12:00:00.000Z' };
      for (const after of [{}, { after: reply }]) {
        expect(await explainWalks(selectReplies(models.replies, { ...query, ...after }))).toEqual([
          ofReplies,
        ]);
      }
      for (const after of [{}, { after: id }]) {
        expect(await explainWalks(selectEvents(models.events, { ...query, ...after }))).toEqual([ofEvents]);
      }
    });
  });

  it.each<[EventFilter, string]>([
    [{}, 'in_order'],
    [{ created_at: { gte: '2026-03-01T12:00:00.000Z' }, client_id: { any: ['app'] } }, 'in_order'],
    [{ actor: { any: ['ada'] }, type: { any: ['reply.added'] } }, 'by_actor'],
    [{ type: { any: ['reply.added'] } }, 'by_type'],
    [{ ticket_id: { any: [ticketId] }, actor: { any: ['ada'] } }, 'by_ticket'],
  ])('use an index for events of all tickets with %j', async (filter, name) => {
    for (const direction of ['asc', 'desc'] as const) {
      const after = { created_at: '2026-03-01T12:00:00.000Z', id: randomUUID() };
      for (const page of [{}, { after }]) {
        const query = { filter, direction, limit: 50, ...page };
        expect(await explainWalks(searchEvents(models.events, query))).toEqual([name]);
      }
    }
  });

  it.each([false, true])('use an index for the words of a search (prefix: %s)', async (isPrefix) => {
    const terms = [
      { words: ['printer', 'is'], isPrefix: false },
      { words: ['fir'], isPrefix },
    ];
    expect(await explainWalks(selectByWords(models.texts, terms, 50))).toEqual(['by_word']);
  });

  it('use an index for a unique external id', async () => {
    expect(await explainWalks(selectByExternalId(models.tickets, 'import', 'CRM-7'))).toEqual([
      'external_id_of_client',
    ]);
  });

  it('use an index for pending merges', async () => {
    expect(await explainWalks(selectPendingMerges(models.people, 50))).toEqual(['pending_merges']);
  });

  it('use an index for pending maskings', async () => {
    expect(await explainWalks(selectPendingMaskings(models.people, 50))).toEqual(['pending_maskings']);
  });

  it('use an index for a page of a feed', async () => {
    const page = selectChanges(models, { reader: 'staff', after: 7, limit: 50 });
    expect(await explainWalks(page)).toEqual(['by_position']);
  });

  it('use an index for expired tombstones', async () => {
    expect(await explainWalks(selectTombstones(models, new Date(), 50))).toEqual(['gone']);
  });

  it.each([
    [{}, 'place'],
    [{ after: ada }, 'place'],
    [{ roles: ['agent', 'admin'], after: ada }, 'role'],
    [{ prefix: 'ad' }, 'starts'],
    [{ prefix: 'ada lovelace', after: ada }, 'starts'],
    [{ sort: { field: 'name', direction: 'asc' }, after: ada }, 'name'],
    [{ sort: { field: 'created_at', direction: 'desc' } }, 'created_at'],
    [{ sort: { field: 'updated_at', direction: 'desc' }, roles: [null], after: ada }, 'role_updated_at'],
  ] as [Partial<PersonQuery>, string][])('for people (%j)', async (query, name) => {
    expect(await explainWalks(selectPeople(models.people, { ...query, limit: 50 }))).toEqual([name]);
  });
});
