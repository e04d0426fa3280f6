import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adding } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import { createTicketQueue } from '../../helpdesk/commit/ticket-queue.ts';
import { createTicketWriter } from '../../helpdesk/commit/ticket-writer.ts';
import { noFields } from '../../helpdesk/fields/field-set.ts';
import { system } from '../../helpdesk/people/viewer.ts';
import type { Storage } from '../../helpdesk/storage.ts';
import { onEveryEngine, type SuiteLoad } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { type Answer, startApi, type TestApi } from '../../tests/api.fixture.ts';
import { newTicket } from './new-ticket.fixture.ts';

const patch = { 'Content-Type': 'application/merge-patch+json' };

/** Guarantees of the queue of a hot ticket, with two apps on one database. */
function hotTickets(createDatabase: () => Promise<TestDatabase>, { writes }: SuiteLoad): void {
  const many = 5 * writes;
  let database: TestDatabase;
  let apis: readonly [TestApi, TestApi];
  let storage: Storage;

  beforeAll(async () => {
    database = await createDatabase();
    const options = {
      storageUrl: database.storageUrl,
      env: { RATE_LIMIT_READS_PER_MINUTE: '0', RATE_LIMIT_WRITES_PER_MINUTE: '0' },
      mayFail: true,
    };
    apis = [await startApi(options), await startApi(options)];
    storage = await database.open();
  });
  afterAll(async () => {
    await storage.close();
    for (const api of apis) await api.stop();
    await database.drop();
  });

  /** Sends `n` concurrent changes of different fields, alternating between the processes. */
  function changeAtOnce(id: string, [...targets]: readonly TestApi[]): Promise<Answer[]> {
    return Promise.all(
      Array.from({ length: many }, (_, i) => {
        const body = JSON.stringify({ custom_fields: { [`field_${i % 50}`]: i } });
        return (targets[i % targets.length] as TestApi).request('PATCH', `/ticket/${id}.json`, body, patch);
      }),
    );
  }

  const count = (answers: readonly Answer[], status: number) =>
    answers.filter((answer) => answer.status === status).length;

  describe('many concurrent changes of one ticket', () => {
    test.each([
      ['one process', 1],
      ['two processes', 2],
    ])(
      'are all committed or rejected with Retry-After (RFC 9110 §15.6.4), and none is lost: %s',
      async (_, n) => {
        const { id } = await apis[0].addTicket();
        const answers = await changeAtOnce(id, apis.slice(0, n));
        const refused = answers.filter(({ status }) => status === 503);
        const made = count(answers, 200);
        expect(made).toBeGreaterThan(0);
        expect(made + refused.length).toBe(many);
        for (const { headers, json } of refused) {
          expect([json.code, Number(headers.get('Retry-After')) > 0]).toEqual(['unavailable', true]);
        }
        const { json } = await apis[1].request('GET', `/ticket/${id}.json`);
        expect(json.version).toBe(1 + made);
        const versions = answers.filter(({ status }) => status === 200).map((answer) => answer.json.version);
        expect(new Set(versions).size).toBe(made);
      },
    );

    test('are each written once by one process', async () => {
      const ticket = newTicket({ custom_fields: { count: 0 } });
      await storage.tickets.commit([adding(ticket)]);
      let commits = 0;
      const writer = createTicketWriter({
        tickets: {
          commit(...args) {
            commits += 1;
            return storage.tickets.commit(...args);
          },
        },
        replies: storage.replies,
        people: storage.people,
        queue: createTicketQueue({ maxWaitMs: 120_000 }),
        catalogue: { current: async () => noFields },
        now: () => new Date(),
        newId: uuidv7,
      });
      const increment = () =>
        writer.commitPlan([ticket.id], async () => {
          const before = await storage.tickets.find(ticket.id);
          if (!before) throw new Error('The ticket is gone.');
          const custom_fields = { count: Number(before.ticket.custom_fields.count) + 1 };
          return {
            changes: [{ before, after: { ...before.ticket, custom_fields } }],
            by: system,
            toAnswer: () => null,
          };
        });
      await Promise.all(Array.from({ length: many }, increment));
      const found = await storage.tickets.find(ticket.id);
      expect(found?.ticket).toMatchObject({ custom_fields: { count: many }, version: 1 + many });
      expect(commits).toBe(many);
    });
  });

  test('a precondition is checked when the change has its turn: one of many changes of a version succeeds (RFC 9110 §13.1.1)', async () => {
    const { id } = await apis[0].addTicket();
    const { headers } = await apis[0].request('GET', `/ticket/${id}.json`);
    const ifMatch = { 'If-Match': headers.get('ETag') ?? '', ...patch };
    const answers = await Promise.all(
      Array.from({ length: writes }, (_, i) =>
        apis[0].request('PATCH', `/ticket/${id}.json`, JSON.stringify({ subject: `by ${i}` }), ifMatch),
      ),
    );
    expect([count(answers, 200), count(answers, 412)]).toEqual([1, writes - 1]);
  });

  test('clients that disconnect do not block the queue', async () => {
    const { id } = await apis[0].addTicket();
    const token = apis[0].issuer.token({ role: 'agent', scope: 'tickets:read tickets:write' });
    const hangUp = new AbortController();
    const left = Array.from({ length: writes }, (_, i) =>
      fetch(`${apis[0].url}/ticket/${id}.json`, {
        method: 'PATCH',
        headers: { ...patch, Authorization: `Bearer ${token}` },
        body: JSON.stringify({ subject: `by ${i}` }),
        signal: hangUp.signal,
      }).catch(() => undefined),
    );
    await left[0];
    hangUp.abort();
    await Promise.all(left);
    const last = await apis[0].request('PATCH', `/ticket/${id}.json`, '{"subject":"last"}', patch);
    expect([last.status, last.json.subject]).toEqual([200, 'last']);
  });

  test('links, replies and deletions of the same tickets in every order never deadlock', async () => {
    const [api] = apis;
    const ids = await Promise.all([1, 2, 3].map(async () => (await api.addTicket()).id));
    const pairs = ids.flatMap((id) =>
      ids.filter((other) => other !== id).map((other) => [id, other] as const),
    );
    const answers = await Promise.all([
      ...pairs.map(([id, ticket_id]) =>
        api.request('POST', `/ticket/${id}/links.json`, { type: 'related', ticket_id }),
      ),
      ...ids.map((id) => api.request('POST', `/ticket/${id}/replies.json`, { body: 'x' })),
      ...pairs.map(([id, other]) => api.request('DELETE', `/ticket/${id}/link/${other}.json`)),
      ...ids.map((id) => api.request('DELETE', `/ticket/${id}.json`)),
    ]);
    expect(
      answers.map(({ status }) => status).filter((status) => ![200, 201, 400, 404, 503].includes(status)),
    ).toEqual([]);
    expect((await api.request('POST', `/ticket/${ids[0]}/restore.json`)).status).toBe(200);
  });
}

onEveryEngine(hotTickets);
