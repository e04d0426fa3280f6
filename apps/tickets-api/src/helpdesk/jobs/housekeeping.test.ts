import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { createFieldCatalogue } from '../catalogues.ts';
import { adding } from '../commit/ticket-commit.fixture.ts';
import { createTicketQueue } from '../commit/ticket-queue.ts';
import { createTicketWriter, type TicketWriter } from '../commit/ticket-writer.ts';
import { newDefinition } from '../definitions/new-definition.fixture.ts';
import { createReplacement } from '../definitions/replacement.ts';
import { createHousekeeping, type Housekeeping } from './housekeeping.ts';
import { createReplacementResumer } from './unfinished-work.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let api: TestApi;

/** Creates the job of one process, whose clock is ahead. */
function createJob(daysAhead: number, settings = { closesAfterDays: 28, purgesAfterDays: 30 }): Housekeeping {
  const now = () => new Date(Date.now() + daysAhead * DAY_MS);
  const log = pino({ level: 'silent' });
  return createHousekeeping({ store: api.storage.tickets, writer: createWriter(now), now, log, ...settings });
}

/** Creates the writer of one process. */
function createWriter(now = () => new Date()): TicketWriter {
  const catalogue = createFieldCatalogue({ store: api.storage.fields, now });
  return createTicketWriter({ ...api.storage, queue: createTicketQueue(), catalogue, now, newId: uuidv7 });
}

const statusOf = async (id: string) => (await api.request('GET', `/ticket/${id}.json`)).json.status;

function describeHousekeeping(): void {
  test('closes a ticket that has been solved for long enough, and records an event', async () => {
    const { id } = await api.addTicket({ status: 'solved' });
    const open = await api.addTicket({ status: 'open' });
    await createJob(27).run();
    expect(await statusOf(id)).toBe('solved');
    await createJob(29).run();
    const { json } = await api.request('GET', `/ticket/${id}.json`);
    expect(json).toMatchObject({ status: 'closed', closed_at: expect.any(String), version: 2 });
    expect(await statusOf(open.id)).toBe('open');
    const { json: history } = await api.request('GET', `/ticket/${id}/events.json?sort=-created_at&limit=1`);
    expect(history.events).toMatchObject([
      { type: 'ticket.changed', actor: { type: 'system' }, client_id: null },
    ]);
  });

  test('purges a ticket that has been deleted for long enough, with its replies', async () => {
    const { id } = await api.addTicket();
    await api.request('POST', `/ticket/${id}/replies.json`, { body: 'x' });
    await api.request('DELETE', `/ticket/${id}.json`);
    await createJob(29).run();
    expect((await api.request('GET', '/tickets.json?deleted=true')).json.tickets).toHaveLength(1);
    await createJob(31).run();
    expect((await api.request('GET', '/tickets.json?deleted=true')).json.tickets).toEqual([]);
    expect((await api.request('POST', `/ticket/${id}/restore.json`)).status).toBe(404);
  });

  test('processes each ticket once when several processes run at the same time', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 10; i++) ids.push((await api.addTicket({ status: 'solved' })).id);
    await Promise.all([createJob(40), createJob(40), createJob(40)].map((job) => job.run()));
    for (const id of ids) {
      const { json } = await api.request('GET', `/ticket/${id}/events.json`);
      expect(json.events).toHaveLength(2);
      expect(await statusOf(id)).toBe('closed');
    }
  });

  test('moves a custom status of category solved to the built-in closed, whatever its transitions', async () => {
    const { definitions } = api.storage;
    const status = newDefinition({ category: 'solved', transitions: [] });
    await definitions.add(status);
    const ticket = newTicket({
      status: status.id,
      status_category: 'solved',
      solved_at: new Date().toISOString(),
    });
    await api.storage.tickets.commit([adding(ticket, { chosen: [status] })]);
    await createJob(29).run();
    const { json } = await api.request('GET', `/ticket/${ticket.id}.json`);
    expect(json).toMatchObject({ status: 'closed', status_category: 'closed' });
  });

  test('completes an interrupted replacement, in several processes concurrently', async () => {
    const { definitions, tickets } = api.storage;
    const [old, next] = [newDefinition({ kind: 'type' }), newDefinition({ kind: 'type' })];
    await definitions.add(old);
    await definitions.add(next);
    const all = Array.from({ length: 45 }, (_, i) =>
      newTicket({ type: old.id, deleted_at: i % 9 === 0 ? '2026-03-02T12:00:00.000Z' : null }),
    );
    await tickets.commit(all.map((ticket) => adding(ticket)));
    await definitions.replace({ ...old, hidden: true, replaced_by: next.id, version: 2 }, 1);
    const writers = [createWriter(), createWriter(), createWriter()];
    const jobs = writers.map((writer) => {
      const clock = { now: () => new Date(), newId: uuidv7 };
      const replacement = createReplacement({ store: definitions, tickets, writer, ...clock });
      return createReplacementResumer({ store: definitions, replacement, log: pino({ level: 'silent' }) });
    });
    await Promise.all(jobs.map((run) => run()));
    expect(await definitions.find(old)).toBeUndefined();
    const { json: audit } = await api.request('GET', '/events.json?type=ticket_type&sort=created_at');
    expect(audit.events).toMatchObject([
      { type: 'ticket_type.removed', resource: { id: old.id }, actor: { type: 'system' } },
    ]);
    const records = await tickets.findAll(all.map(({ id }) => id));
    expect(records.map(({ ticket }) => [ticket.type, ticket.version])).toEqual(Array(45).fill([next.id, 2]));
  });

  test('0 days disables closing and purging', async () => {
    const { id } = await api.addTicket({ status: 'solved' });
    await createJob(10_000, { closesAfterDays: 0, purgesAfterDays: 0 }).run();
    expect(await statusOf(id)).toBe('solved');
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, (started) => {
    api = started;
  });
  describe('housekeeping', describeHousekeeping);
});
