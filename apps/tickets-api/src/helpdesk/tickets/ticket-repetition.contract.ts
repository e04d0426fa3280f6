import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { changed, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { newRequest, repeatWhileInFlight } from '../../tests/idempotency.fixture.ts';
import { adding, changing, purging } from '../commit/ticket-commit.fixture.ts';
import type { CommitOutcome, RecordedRequest } from '../commit/ticket-commit.ts';
import type { Ticket } from './ticket.ts';
import type { TicketStore } from './ticket-store.ts';

const RACERS = 20;
const committed = { outcome: 'committed' };

/** Contract of every ticket store for repeated requests. */
export function ticketRepetitionContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a ticket store with repeated requests', () => {
    const opened = openTwice(createDatabase);
    const add = (ticket: Ticket, request: RecordedRequest): Promise<CommitOutcome> =>
      opened.storage.tickets.commit([adding(ticket)], request);
    const addAgain = (request: RecordedRequest, tag = 'again'): Promise<CommitOutcome> =>
      opened.other.tickets.commit([adding(newTicket({ tags: [tag] }))], request);
    const idsTagged = async (tag: string) => {
      const sort = { field: 'created_at', direction: 'asc' } as const;
      const found = await opened.other.tickets.list({ filter: { tag: { any: [tag] } }, sort, limit: 100 });
      return found.map(({ ticket }) => ticket.id);
    };

    it('commits the first request and replays its answer to the second', async () => {
      const request = answered({ status: 201, ids: ['a', 'b'], nothing: null, deep: { text: '😀' } });
      const ticket = newTicket({ tags: ['first'] });
      expect(await add(ticket, request)).toEqual(committed);
      const later = request.records.map((record) => ({ ...record, at: record.at + 5 }));
      const second = await addAgain({ ...request, records: later, answer: 'another' }, 'first');
      expect(second).toStrictEqual({ outcome: 'replayed', answer: request.answer });
      expect(await idsTagged('first')).toEqual([ticket.id]);
    });

    it('replays the first answer after later changes of the ticket', async () => {
      const request = answered('as it was');
      const edited = newTicket();
      await add(edited, request);
      await opened.storage.tickets.commit([changing(changed(edited, { subject: 'Out' }))]);
      expect(await addAgain(request)).toEqual({ outcome: 'replayed', answer: 'as it was' });
    });

    it('deletes the requests of a purged ticket and no others', async () => {
      const [purged, kept] = [newTicket(), newTicket()];
      const [ofPurged, ofKept] = [answered('purged', purged.id), answered('kept', kept.id)];
      await add(purged, ofPurged);
      await add(kept, ofKept);
      await opened.other.tickets.commit([purging(purged)]);
      expect(await addAgain(ofPurged)).toEqual(committed);
      expect(await addAgain(ofKept)).toEqual({ outcome: 'replayed', answer: 'kept' });
    });

    it('replays a request whose version is now stale', async () => {
      const ticket = newTicket();
      await opened.storage.tickets.commit([adding(ticket)]);
      const commits = [changing(changed(ticket, { subject: 'Once' }))];
      const request = answered('changed', ticket.id);
      expect(await opened.storage.tickets.commit(commits, request)).toEqual(committed);
      expect(await opened.other.tickets.commit(commits, request)).toEqual({
        outcome: 'replayed',
        answer: 'changed',
      });
    });

    it('commits nothing for a key that was used with another request', async () => {
      const request = answered('one');
      await add(newTicket({ tags: ['mismatch'] }), request);
      const records = request.records.map((record) => ({ ...record, fingerprint: 'another request' }));
      const outcome = await addAgain({ ...request, records }, 'mismatch');
      expect(outcome).toEqual({ outcome: 'mismatch', key: records[0]?.key });
      expect(await idsTagged('mismatch')).toHaveLength(1);
    });

    it('stores a request until it expires', async () => {
      const record = newRequest();
      const request = { records: [record], answer: 'first', ticketId: null };
      await add(newTicket(), request);
      const justBefore = newRequest({ ...record, at: record.expiresAt - 1 });
      expect(await addAgain({ ...request, records: [justBefore] })).toEqual({
        outcome: 'replayed',
        answer: 'first',
      });
      const after = newRequest({ key: record.key, fingerprint: 'another request', at: record.expiresAt });
      expect(await addAgain({ records: [after], answer: 'next', ticketId: null })).toEqual(committed);
      expect(await addAgain({ ...request, records: [after] })).toEqual({
        outcome: 'replayed',
        answer: 'next',
      });
    });

    it('records nothing of a commit that fails or is stale', async () => {
      const request = answered('done');
      const taken = newTicket();
      await opened.storage.tickets.commit([adding(taken)]);
      await expect(add(taken, request)).rejects.toMatchObject({ code: 'id_in_use' });
      const stale = changing({ ...taken, version: 3 });
      expect(await opened.other.tickets.commit([stale], request)).toEqual({ outcome: 'stale' });
      expect(await addAgain(request)).toEqual(committed);
    });

    it('recognizes a request by any of its records, and returns the key that another request used', async () => {
      const request = { records: [newRequest(), newRequest()], answer: 'first', ticketId: null };
      const [byKey, byId] = request.records;
      await add(newTicket(), request);
      const replayed = { outcome: 'replayed', answer: 'first' };
      expect(await addAgain({ ...request, records: [newRequest(), byId ?? newRequest()] })).toEqual(replayed);
      const otherwise = newRequest({ ...byKey, fingerprint: 'another request' });
      const mismatch = { outcome: 'mismatch', key: byKey?.key };
      expect(await addAgain({ ...request, records: [newRequest(), otherwise] })).toEqual(mismatch);
    });

    it('commits exactly one of racing requests with one key and gives its answer to all', async () => {
      const request = answered(undefined);
      const racers = Array.from({ length: RACERS }, (_, i) =>
        repeatWhileInFlight(() =>
          pick(i).commit([adding(newTicket({ subject: `${i}`, tags: ['raced'] }))], {
            ...request,
            answer: `${i}`,
          }),
        ),
      );
      const outcomes = await Promise.all(racers);
      const winner = outcomes.findIndex(({ outcome }) => outcome === 'committed');
      const expected = outcomes.map((_, i) =>
        i === winner ? committed : { outcome: 'replayed', answer: `${winner}` },
      );
      expect(outcomes).toEqual(expected);
      expect(await idsTagged('raced')).toHaveLength(1);
    });

    it('commits each of racing requests with different keys', async () => {
      const tag = randomUUID();
      const racers = Array.from({ length: RACERS }, () =>
        opened.storage.tickets.commit([adding(newTicket({ tags: [tag] }))], answered('each')),
      );
      expect(await Promise.all(racers)).toEqual(Array(RACERS).fill(committed));
      expect(await idsTagged(tag)).toHaveLength(RACERS);
    });

    function pick(i: number): TicketStore {
      return (i % 2 === 0 ? opened.storage : opened.other).tickets;
    }
  });
}

/** Returns a request with a new key and this answer. */
function answered(answer: unknown, ticketId: string | null = null): RecordedRequest {
  return { records: [newRequest()], answer, ticketId };
}
