import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTicket } from '../tickets/new-ticket.fixture.ts';
import type { TicketPosition, TicketStore } from '../tickets/ticket-store.ts';
import type { TestDatabase } from './test-database.fixture.ts';
import { startTicketWriter, type TicketWriter, type TicketWriterOptions } from './ticket-writer.fixture.ts';

/** What every store of tickets promises when several processes use its database and some are killed. */
export function ticketProcessesContract(
  createDatabase: () => Promise<TestDatabase>,
  { kills }: { kills: number },
): void {
  describe('tickets that several processes write', () => {
    let database: TestDatabase;
    let store: TicketStore;
    const writers: TicketWriter[] = [];

    beforeAll(async () => {
      database = await createDatabase();
      store = await database.open();
    });
    afterAll(async () => {
      for (const writer of writers) writer.kill();
      await store.close();
      await database.drop();
    });

    it('lose no change when two processes change one of them at the same time', async () => {
      const ticket = newTicket({ custom_fields: { count: 0 } });
      await store.insert(ticket);
      await runTwo({ task: 'increment', subject: ticket.id, times: 25 });
      expect(await store.find(ticket.id)).toMatchObject({ custom_fields: { count: 50 }, version: 51 });
    });

    it('are all there, once, when two processes insert them at the same time', async () => {
      const [one, another] = await runTwo({ task: 'insert', subject: 'by-two', times: 40 });
      const acknowledged = [...one.acknowledged(), ...another.acknowledged()];
      expect(acknowledged).toHaveLength(80);
      expect((await idsTagged('by-two')).sort()).toEqual(acknowledged.sort());
    });

    it('are one when two processes repeat one request at the same time', async () => {
      const writers = await runTwo({ task: 'repeat', subject: 'repeated-by-two', times: 10 });
      const told = writers.flatMap((writer) => writer.acknowledged());
      expect(told).toHaveLength(20);
      expect([...new Set(told)]).toEqual(await idsTagged('repeated-by-two'));
    });

    it('survive the death of a process once they are acknowledged', { timeout: 120_000 }, async () => {
      const acknowledged: string[] = [];
      for (let i = 0; i < kills; i++) {
        const writer = await startWriter({ task: 'insert', subject: 'by-the-dead' });
        writer.start();
        while (writer.acknowledged().length < 5) await sleep(5);
        await sleep(Math.random() * 50);
        writer.kill();
        await writer.ended;
        acknowledged.push(...writer.acknowledged());
      }
      const survivors = new Set(await idsTagged('by-the-dead'));
      expect(acknowledged.filter((id) => !survivors.has(id))).toEqual([]);
      for (const id of acknowledged) expect(await store.find(id)).toMatchObject({ id, version: 1 });
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
        const page = await store.list({ filter: { tag }, sort, limit: 100, ...(after && { after }) });
        ids.push(...page.map(({ id }) => id));
        const last = page.at(-1);
        after = last && { value: last.created_at, id: last.id };
      } while (after);
      return ids;
    }
  });
}
