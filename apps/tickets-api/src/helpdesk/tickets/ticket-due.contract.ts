import { beforeAll, describe, expect, it } from 'vitest';
import { changed, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { adding, changing } from '../commit/ticket-commit.fixture.ts';

const first = '2026-01-01T00:00:00.000Z';
const second = '2026-01-01T00:00:00.001Z';
const third = '2026-01-31T23:59:59.999Z';
const last = '2026-06-01T00:00:00.000Z';

/** Contract of every ticket store for tickets that automatic closing or purging is due for. */
export function ticketDueContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('tickets that are due', () => {
    const opened = openTwice(createDatabase);
    const due = async (what: 'deleted' | 'solved', before: string, limit = 10) =>
      (await opened.other.tickets.listDue(what, new Date(before), limit)).map(({ ticket }) => ticket.subject);

    beforeAll(async () => {
      await opened.storage.tickets.commit(
        [
          newTicket({ subject: 'solved 3', status: 'solved', solved_at: third }),
          newTicket({ subject: 'solved 1', status: 'solved', solved_at: first }),
          newTicket({ subject: 'solved 2', status: 'solved', solved_at: second }),
          newTicket({ subject: 'reopened', status: 'open', solved_at: first }),
          newTicket({ subject: 'closed', status: 'closed', solved_at: first }),
          newTicket({ subject: 'deleted 2', status: 'solved', solved_at: first, deleted_at: second }),
          newTicket({ subject: 'deleted 1', deleted_at: first }),
        ].map((ticket) => adding(ticket)),
      );
    });

    it('are the tickets solved before a time and still solved, the oldest first', async () => {
      expect(await due('solved', last)).toEqual(['solved 1', 'solved 2', 'solved 3']);
      expect(await due('solved', third)).toEqual(['solved 1', 'solved 2']);
      expect(await due('solved', first)).toEqual([]);
      expect(await due('solved', last, 1)).toEqual(['solved 1']);
    });

    it('are the tickets deleted before a time, the oldest first', async () => {
      expect(await due('deleted', last)).toEqual(['deleted 1', 'deleted 2']);
      expect(await due('deleted', second)).toEqual(['deleted 1']);
      expect(await due('deleted', last, 1)).toEqual(['deleted 1']);
    });

    it('are no longer due once they have changed', async () => {
      const [record] = await opened.storage.tickets.listDue('solved', new Date(last), 1);
      const closed = changed(record?.ticket ?? newTicket(), { status: 'closed', closed_at: last });
      await opened.storage.tickets.commit([changing(closed)]);
      expect(await due('solved', last)).toEqual(['solved 2', 'solved 3']);
    });
  });
}
