import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { changed, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { adding, changing, purging, toRecord } from '../commit/ticket-commit.fixture.ts';
import type { TicketCommit } from '../commit/ticket-commit.ts';
import type { Ticket } from './ticket.ts';

const committed = { outcome: 'committed' };
const stale = { outcome: 'stale' };

/** Contract of every ticket store for external ids that are unique within a client. */
export function externalIdContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a ticket store with external ids', () => {
    const opened = openTwice(createDatabase);
    const commit = (...commits: TicketCommit[]) => opened.storage.tickets.commit(commits);
    const find = (clientId: string, id: string) => opened.other.tickets.findByExternalId(clientId, id);
    const claimed = (ticket: Ticket, externalIdClient = 'import') => ({
      record: { ...toRecord(ticket), externalIdClient },
    });
    const newExternal = () => newTicket({ external_id: `CRM/${randomUUID()}` });

    it('finds a ticket by external id and client, deleted or not', async () => {
      const ticket = newExternal();
      const id = String(ticket.external_id);
      expect(await find('import', id)).toBeUndefined();
      expect(await commit(adding(ticket, claimed(ticket)))).toEqual(committed);
      expect(await find('import', id)).toStrictEqual(claimed(ticket).record);
      expect(await opened.other.tickets.find(ticket.id)).toStrictEqual(claimed(ticket).record);
      expect(await find('other', id)).toBeUndefined();
      const deleted = changed(ticket, { deleted_at: '2026-03-02T12:00:00.000Z' });
      await commit(changing(deleted, claimed(deleted)));
      expect(await find('import', id)).toStrictEqual(claimed(deleted).record);
    });

    it('stores one id for any number of tickets if it need not be unique', async () => {
      const [one, external_id] = [newExternal(), randomUUID()];
      const others = Array.from({ length: 3 }, () => newTicket({ external_id }));
      await commit(...others.map((ticket) => adding(ticket)));
      expect(await find('import', external_id)).toBeUndefined();
      const same = newTicket({ external_id: one.external_id });
      await commit(adding(one, claimed(one)), adding(same, claimed(same, 'other client')));
      expect((await find('other client', String(one.external_id)))?.ticket.id).toBe(same.id);
    });

    it('writes nothing and returns stale if another ticket of the client has the id', async () => {
      const [holder, other, added] = [newExternal(), newExternal(), newTicket()];
      await commit(adding(holder, claimed(holder)), adding(other));
      const second = newTicket({ external_id: holder.external_id });
      expect(await commit(adding(added), adding(second, claimed(second)))).toEqual(stale);
      const taking = changed(other, { external_id: holder.external_id });
      expect(await commit(adding(added), changing(taking, claimed(taking)))).toEqual(stale);
      expect(await opened.other.tickets.find(added.id)).toBeUndefined();
      expect((await opened.other.tickets.find(other.id))?.ticket.version).toBe(1);
    });

    it.each([
      ['is purged', (ticket: Ticket) => purging(ticket)],
      [
        'has another',
        (ticket: Ticket) => {
          const renamed = changed(ticket, { external_id: randomUUID() });
          return changing(renamed, claimed(renamed));
        },
      ],
      ['has it no longer unique', (ticket: Ticket) => changing(changed(ticket))],
    ])('frees the id when its ticket %s', async (_, toCommit) => {
      const holder = newExternal();
      await commit(adding(holder, claimed(holder)));
      await commit(toCommit(holder));
      const next = newTicket({ external_id: holder.external_id });
      expect(await commit(adding(next, claimed(next)))).toEqual(committed);
      expect((await find('import', String(holder.external_id)))?.ticket.id).toBe(next.id);
    });

    it('gives the id to exactly one of many racing tickets', async () => {
      const external_id = randomUUID();
      const tickets = Array.from({ length: 10 }, () => newTicket({ external_id }));
      const outcomes = await Promise.all(
        tickets.map((ticket, i) =>
          (i % 2 ? opened.storage : opened.other).tickets.commit([adding(ticket, claimed(ticket))]),
        ),
      );
      expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual([
        'committed',
        ...Array(9).fill('stale'),
      ]);
      const winner = tickets[outcomes.findIndex(({ outcome }) => outcome === 'committed')];
      expect((await find('import', external_id))?.ticket.id).toBe(winner?.id);
    });
  });
}
