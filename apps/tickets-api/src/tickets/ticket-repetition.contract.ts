import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRequest } from '../idempotency.fixture.ts';
import { changed, newTicket } from './new-ticket.fixture.ts';
import type { TicketDatabase } from './ticket-store.contract.ts';
import type { TicketStore } from './ticket-store.ts';

const RACERS = 20;

/** What every store of tickets promises of requests that come more than once. */
export function ticketRepetitionContract(createDatabase: () => Promise<TicketDatabase>): void {
  describe('a ticket store that is asked again', () => {
    let database: TicketDatabase;
    let store: TicketStore;
    /** The same database, opened once more. */
    let other: TicketStore;

    beforeAll(async () => {
      database = await createDatabase();
      store = await database.open();
      other = await database.open();
    });
    afterAll(async () => {
      await Promise.all([store.close(), other.close()]);
      await database.drop();
    });

    const idsTagged = async (tag: string) => {
      const sort = { field: 'created_at', direction: 'asc' } as const;
      return (await other.list({ filter: { tag }, sort, limit: 100 })).map(({ id }) => id);
    };

    it('inserts the ticket of the first request and tells it to the second', async () => {
      const request = newRequest();
      const ticket = newTicket({ tags: ['first'], custom_fields: { parts: ['a', 'b'] } });
      expect(await store.insert(ticket, request)).toStrictEqual({ outcome: 'inserted', resource: ticket });
      const second = await other.insert(newTicket({ tags: ['first'] }), { ...request, at: request.at + 5 });
      expect(second).toStrictEqual({ outcome: 'replayed', resource: ticket });
      expect(Object.isFrozen(second.outcome === 'replayed' && second.resource.tags)).toBe(true);
      expect(await idsTagged('first')).toEqual([ticket.id]);
    });

    it('tells the ticket as it was inserted, whatever became of it', async () => {
      const [one, two] = [newRequest(), newRequest()];
      const [edited, removed] = [newTicket(), newTicket()];
      await store.insert(edited, one);
      await store.insert(removed, two);
      await store.replace(changed(edited, { subject: 'Out' }), 1);
      await store.remove(removed.id);
      expect(await other.insert(newTicket(), one)).toStrictEqual({ outcome: 'replayed', resource: edited });
      expect(await other.insert(newTicket(), two)).toStrictEqual({ outcome: 'replayed', resource: removed });
      expect(await store.find(removed.id)).toBeUndefined();
    });

    it('inserts nothing for a key that was used with another request', async () => {
      const request = newRequest();
      await store.insert(newTicket({ tags: ['mismatch'] }), request);
      const another = { ...request, fingerprint: 'another request' };
      expect(await other.insert(newTicket({ tags: ['mismatch'] }), another)).toEqual({ outcome: 'mismatch' });
      expect(await idsTagged('mismatch')).toHaveLength(1);
    });

    it('forgets a request when it expires, and not before', async () => {
      const request = newRequest();
      const [ticket, next] = [newTicket(), newTicket()];
      await store.insert(ticket, request);
      const justBefore = newRequest({ ...request, at: request.expiresAt - 1 });
      expect(await other.insert(next, justBefore)).toStrictEqual({ outcome: 'replayed', resource: ticket });
      const after = newRequest({ key: request.key, fingerprint: 'another request', at: request.expiresAt });
      expect(await other.insert(next, after)).toStrictEqual({ outcome: 'inserted', resource: next });
      expect(await store.insert(newTicket(), after)).toStrictEqual({ outcome: 'replayed', resource: next });
    });

    it('records nothing of an insertion that fails', async () => {
      const [taken, ticket] = [newTicket(), newTicket()];
      const request = newRequest();
      await store.insert(taken);
      await expect(store.insert({ ...ticket, id: taken.id }, request)).rejects.toMatchObject({
        code: 'conflict',
      });
      expect(await other.insert(ticket, request)).toStrictEqual({ outcome: 'inserted', resource: ticket });
    });

    it('inserts for exactly one of racing requests with one key and tells its ticket to all', async () => {
      const request = newRequest();
      const racers = Array.from({ length: RACERS }, (_, i) =>
        (i % 2 === 0 ? store : other).insert(newTicket({ subject: `${i}`, tags: ['raced'] }), request),
      );
      const insertions = await Promise.all(racers);
      const [winner, ...more] = insertions.filter(({ outcome }) => outcome === 'inserted');
      expect(more).toEqual([]);
      for (const insertion of insertions)
        expect(insertion).toStrictEqual({ ...winner, outcome: insertion.outcome });
      expect(insertions.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(RACERS - 1);
      expect(await idsTagged('raced')).toHaveLength(1);
    });

    it('inserts for each of racing requests with keys of their own', async () => {
      const tag = randomUUID();
      const racers = Array.from({ length: RACERS }, () =>
        store.insert(newTicket({ tags: [tag] }), newRequest()),
      );
      const insertions = await Promise.all(racers);
      expect(insertions.every(({ outcome }) => outcome === 'inserted')).toBe(true);
      expect(await idsTagged(tag)).toHaveLength(RACERS);
    });
  });
}
