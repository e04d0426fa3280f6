import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { createFieldCatalogue } from '../../helpdesk/catalogues.ts';
import { adding } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import { createMergeFinisher } from '../../helpdesk/jobs/unfinished-work.ts';
import { createMergedTickets } from '../../helpdesk/people/merged-tickets.ts';
import { type PersonReference, toReference } from '../../helpdesk/people/person.ts';
import { createRepoint } from '../../helpdesk/people/repoint.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { startApi, type TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { newTicket } from '../tickets/new-ticket.fixture.ts';
import { type Send, signIn } from './people.fixture.ts';

onEveryEngine((createDatabase, { writes }) => {
  describe('an interrupted merge of people', () => {
    const many = 4 * writes;
    let api: TestApi;
    let storageUrl: string;
    let agent: Send;
    let count = 0;
    useApi(createDatabase, (started, url) => {
      api = started;
      storageUrl = url;
      agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
    });

    /** Runs the job of a process whose clock is ahead, so that no other process can have an older cached state. */
    async function finishMerges(signal = new AbortController().signal): Promise<void> {
      const now = () => new Date(Date.now() + 60_000);
      const { storage } = api;
      const catalogue = createFieldCatalogue({ store: storage.fields, now });
      const repoint = createRepoint({ storage, catalogue, now, newId: uuidv7 });
      const tickets = createMergedTickets({ storage, repoint, now });
      const log = pino({ level: 'silent' });
      await createMergeFinisher({ people: storage.people, tickets, log })(signal);
    }

    /** Adds a person with an account; returns the reference that tickets have. */
    async function addPerson(): Promise<PersonReference> {
      const send = signIn(api, 'customer', `person${count++}@example.com`);
      const { person } = (await send('GET', '/me.json')).json as { person: PersonReference };
      return toReference(person as Parameters<typeof toReference>[0]);
    }

    /** Adds tickets on which the person has each possible part, some of them deleted. */
    async function addTickets(person: PersonReference): Promise<readonly Ticket[]> {
      const parts: Partial<Ticket>[] = [
        { requester: person },
        { cc: [person] },
        { assignee: person },
        { followers: [person] },
        { requester: person, deleted_at: '2026-03-02T12:00:00.000Z' },
      ];
      const tickets = Array.from({ length: many }, (_, i) => newTicket({ ...parts[i % parts.length] }));
      await api.storage.tickets.commit(tickets.map((ticket) => adding(ticket)));
      return tickets;
    }

    const merge = (into: PersonReference, other: PersonReference, headers = {}) =>
      agent('POST', `/person/${into.id}/merge.json`, { person_id: other.id }, headers);

    /** Counts the tickets that refer to a person. */
    async function countReferring(tickets: readonly Ticket[], { id }: PersonReference): Promise<number> {
      const found = await api.storage.tickets.findAll(tickets.map((ticket) => ticket.id));
      expect(found).toHaveLength(tickets.length);
      return found.filter((record) => JSON.stringify(record.ticket).includes(id)).length;
    }

    /** Expects that each ticket was moved once, and that its history names the author of the merge. */
    async function expectMoved(tickets: readonly Ticket[], to: PersonReference, actorId?: string) {
      expect(await countReferring(tickets, to)).toBe(tickets.length);
      for (const { id: ticketId } of tickets) {
        const events = await api.storage.events.list({
          ticketId,
          isPublicOnly: false,
          direction: 'asc',
          limit: 10,
        });
        expect(events.map(({ event }) => [event.type, event.actor.id])).toEqual([
          ['ticket.changed', actorId ?? null],
        ]);
        expect((await api.storage.tickets.find(ticketId))?.ticket.version).toBe(2);
      }
    }

    async function mergeAndDie(into: PersonReference, other: PersonReference): Promise<void> {
      const program = fileURLToPath(new URL('./killed-merge.main.fixture.ts', import.meta.url));
      const child = fork(program, [storageUrl, into.id, other.id, '5'], { execArgv: [] });
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    }

    test('is finished by housekeeping after SIGKILL: each ticket is moved once, with the author of the merge', async () => {
      const [one, other] = [await addPerson(), await addPerson()];
      const tickets = await addTickets(other);
      await mergeAndDie(one, other);
      const left = await countReferring(tickets, other);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThan(tickets.length);
      expect((await agent('GET', `/person/${other.id}.json`)).json.detail).toContain(one.id);
      const stopped = new AbortController();
      stopped.abort();
      await finishMerges(stopped.signal);
      expect(await countReferring(tickets, other)).toBe(left);
      await Promise.all([finishMerges(), finishMerges()]);
      // The agent of the killed process is a machine.
      await expectMoved(tickets, one, 'client-1');
      expect(await api.storage.people.listPendingMerges(10)).toEqual([]);
    });

    test('continues after SIGKILL when the request is repeated', async () => {
      const [one, other] = [await addPerson(), await addPerson()];
      const tickets = await addTickets(other);
      await mergeAndDie(one, other);
      const again = await merge(one, other);
      expect([again.status, again.headers.get('Keydesk-Changed')]).toEqual([200, 'false']);
      await expectMoved(tickets, one, 'client-1');
      await finishMerges();
      expect(await api.storage.people.listPendingMerges(10)).toEqual([]);
    });

    test('returns 202 at its time limit, and housekeeping moves the remaining tickets', async () => {
      const hurried = await startApi({ storageUrl, issuer: api.issuer, mergeLimitMs: 0 });
      const grace = signIn(hurried, 'agent', 'grace@example.com', { name: 'Grace' });
      const { id: graceId } = (await grace('GET', '/me.json')).json.person as { id: string };
      const [one, other] = [await addPerson(), await addPerson()];
      const tickets = await addTickets(other);
      const key = { 'Idempotency-Key': 'once' };
      const send = (format: string) =>
        grace('POST', `/person/${one.id}/merge.${format}`, { person_id: other.id }, key);
      const first = await send('json');
      expect([first.status, first.json]).toMatchObject([
        202,
        { id: one.id, addresses: [one.email, other.email] },
      ]);
      expect((await send('xml')).status).toBe(202);
      expect(await countReferring(tickets, other)).toBeGreaterThan(0);
      await finishMerges();
      await expectMoved(tickets, one, graceId);
      const last = await send('json');
      expect([last.status, last.text, last.headers.get('Idempotency-Replayed')]).toEqual([
        200,
        first.text,
        'true',
      ]);
      await hurried.stop();
    });

    test('moves tickets to the last survivor when the survivor is merged as well', async () => {
      const [one, other, third] = [await addPerson(), await addPerson(), await addPerson()];
      const tickets = await addTickets(other);
      await mergeAndDie(one, other);
      expect((await merge(third, one)).status).toBe(200);
      await finishMerges();
      expect(await countReferring(tickets, third)).toBe(tickets.length);
      expect(await countReferring(tickets, other)).toBe(0);
    });

    test('that a sign-in began also moves deleted tickets and tickets that the person only follows', async () => {
      const email = `named${count++}@example.com`;
      const ada = signIn(api, 'customer', `account${count++}@example.com`, { sub: email });
      const { id } = (await ada('GET', '/me.json')).json.person as { id: string };
      const { requester } = await api.addTicket({ requester: { email } });
      const named = requester as PersonReference;
      const tickets = await addTickets(named);
      const verified = signIn(api, 'customer', email, { sub: email, iat: Math.floor(Date.now() / 1000) + 5 });
      expect((await verified('GET', '/me.json')).json.person).toMatchObject({ id, email });
      await finishMerges();
      await expectMoved(tickets, { ...named, id });
    });
  });
});
