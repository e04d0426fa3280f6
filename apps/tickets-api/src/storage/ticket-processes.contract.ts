import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTicket } from '../api/tickets/new-ticket.fixture.ts';
import { adding } from '../helpdesk/commit/ticket-commit.fixture.ts';
import type { Change } from '../helpdesk/feed/change.ts';
import type { Storage } from '../helpdesk/storage.ts';
import type { TicketPosition } from '../helpdesk/tickets/ticket-store.ts';
import type { SuiteLoad } from './engines.fixture.ts';
import type { TestDatabase } from './test-database.fixture.ts';
import { startTicketWriter, type TicketWriter, type TicketWriterOptions } from './ticket-writer.fixture.ts';

/** Contract of a storage that several processes use while some are killed. */
export function ticketProcessesContract(
  createDatabase: () => Promise<TestDatabase>,
  { kills, writes }: Pick<SuiteLoad, 'kills' | 'writes'>,
): void {
  describe('tickets written by several processes', () => {
    let database: TestDatabase;
    let storage: Storage;
    const writers: TicketWriter[] = [];

    beforeAll(async () => {
      database = await createDatabase();
      storage = await database.open();
    });
    afterAll(async () => {
      for (const writer of writers) writer.kill();
      await storage.close();
      await database.drop();
    });

    it('lose no change when two processes change one at the same time', async () => {
      const ticket = newTicket({ custom_fields: { count: 0 } });
      await storage.tickets.commit([adding(ticket)]);
      await runTwo({ task: 'increment', subject: ticket.id, times: writes });
      const found = await storage.tickets.find(ticket.id);
      expect(found?.ticket).toMatchObject({ custom_fields: { count: 2 * writes }, version: 2 * writes + 1 });
    });

    it('are all stored once when two processes insert at the same time', async () => {
      const [one, another] = await runTwo({ task: 'insert', subject: 'by-two', times: writes });
      const acknowledged = [...one.acknowledged(), ...another.acknowledged()];
      expect(acknowledged).toHaveLength(2 * writes);
      expect((await idsTagged('by-two')).sort()).toEqual(acknowledged.sort());
    });

    it('are inserted once when two processes repeat one request at the same time', async () => {
      const writers = await runTwo({ task: 'repeat', subject: 'repeated-by-two', times: 10 });
      const ids = writers.flatMap((writer) => writer.acknowledged());
      expect(ids).toHaveLength(20);
      expect([...new Set(ids)]).toEqual(await idsTagged('repeated-by-two'));
    });

    it('are all returned to a reader that follows the feed during the writes', async () => {
      const reader = 'followed';
      const seen: Change[] = [];
      const readToTheEnd = async () => {
        for (;;) {
          const after = seen.at(-1)?.position ?? 0;
          const page = await storage.changes.list({ reader, after, limit: 7 });
          if (page.length === 0) return;
          seen.push(...page);
        }
      };
      let isWriting = true;
      const writing = runTwo({ task: 'change', subject: reader, times: writes }).finally(() => {
        isWriting = false;
      });
      while (isWriting) {
        await readToTheEnd();
        await sleep(1);
      }
      await writing;
      await readToTheEnd();

      const positions = seen.map(({ position }) => position);
      expect(positions).toEqual(positions.toSorted((one, another) => one - another));
      const lastSeen = new Map(seen.map((change) => [`${change.resource} ${change.id}`, change]));
      const all = await storage.changes.list({ reader, after: 0, limit: 1_000 });
      // Each process writes one ticket more than `writes`, with two replies each, and one for the last.
      expect(all).toHaveLength(2 * (writes + 1 + 2 * writes + 1));
      expect([...lastSeen.values()].toSorted(byPosition)).toEqual(all);
    });

    it('survive SIGKILL completely once they are acknowledged', async () => {
      const subject = 'by-the-dead';
      const acknowledged: string[] = [];
      for (let i = 0; i < kills; i++) {
        const writer = await startWriter({ task: 'insert', subject });
        writer.start();
        while (writer.acknowledged().length < 5) await sleep(5);
        await sleep(Math.random() * 50);
        writer.kill();
        await writer.ended;
        acknowledged.push(...writer.acknowledged());
      }
      const survivors = await idsTagged(subject);
      expect(acknowledged.filter((id) => !new Set(survivors).has(id))).toEqual([]);
      const replyIds: (string | undefined)[] = [];
      for (const ticketId of survivors) {
        const query = { ticketId, isPublicOnly: false, direction: 'asc', limit: 10 } as const;
        const [replies, events] = [await storage.replies.list(query), await storage.events.list(query)];
        expect([replies.length, events.length]).toEqual([1, 1]);
        replyIds.push(replies[0]?.id);
      }
      const changes = await storage.changes.list({ reader: subject, after: 0, limit: 100_000 });
      expect(changes.map(({ id }) => id).toSorted()).toEqual([...survivors, ...replyIds].toSorted());
    });

    async function runTwo(options: Omit<TicketWriterOptions, 'storageUrl'>) {
      const two = await Promise.all([startWriter(options), startWriter(options)] as const);
      for (const writer of two) writer.start();
      expect(await Promise.all(two.map(({ ended }) => ended))).toEqual([0, 0]);
      return two;
    }

    async function startWriter(options: Omit<TicketWriterOptions, 'storageUrl'>): Promise<TicketWriter> {
      const writer = await startTicketWriter({ ...options, storageUrl: database.storageUrl });
      writers.push(writer);
      return writer;
    }

    async function idsTagged(tag: string): Promise<string[]> {
      const ids: string[] = [];
      const sort = { field: 'created_at', direction: 'asc' } as const;
      let after: TicketPosition | undefined;
      do {
        const query = { filter: { tag: { any: [tag] } }, sort, limit: 100, ...(after && { after }) };
        const page = await storage.tickets.list(query);
        ids.push(...page.map(({ ticket }) => ticket.id));
        const last = page.at(-1)?.ticket;
        after = last && { value: last.created_at, id: last.id };
      } while (after);
      return ids;
    }
  });
}

function byPosition(one: Change, another: Change): number {
  return one.position - another.position;
}
