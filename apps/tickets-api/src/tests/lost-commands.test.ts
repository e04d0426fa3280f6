import { randomUUID } from 'node:crypto';
import { type CommandInTransit, type CommandProxy, describeWith, startCommandProxy } from '@keydesk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signIn } from '../api/people/people.fixture.ts';
import { createMongoDatabase, type TestDatabase } from '../storage/test-database.fixture.ts';
import { type Answer, startApi, type TestApi } from './api.fixture.ts';

/** Commands of the driver and of the process that belong to no request. */
const background = ['hello', 'ismaster', 'isMaster', 'ping', 'endSessions'];
const isOfRequests = ({ name, collection }: CommandInTransit) =>
  !background.includes(name) && !(name === 'update' && collection === 'committers');
const nameOf = ({ part, name, collection }: CommandInTransit) =>
  [part, name, collection].filter(Boolean).join(' ');

/** A request that can be sent again. */
interface Repeatable {
  send(): Promise<Answer>;
  /** Throws unless the request was applied once. */
  verify(answer: Answer): Promise<void>;
}

describeWith('mongodb', 'a connection to MongoDB that is reset at any command', (url) => {
  let proxy: CommandProxy;
  let database: TestDatabase;
  let api: TestApi;
  beforeAll(async () => {
    database = await createMongoDatabase(url);
    proxy = await startCommandProxy(Number(new URL(url).port));
    const behind = new URL(database.storageUrl);
    behind.port = String(proxy.port);
    behind.searchParams.set('directConnection', 'true');
    api = await startApi({ storageUrl: behind.href, mayFail: true });
  });
  afterAll(async () => {
    proxy.apply(undefined);
    await api.stop();
    await proxy.close();
    await database.drop();
  });

  function newTicket(headers: Record<string, string> = { 'Idempotency-Key': randomUUID() }): Repeatable {
    const subject = `lost ${randomUUID()}`;
    return {
      send: () => api.request('POST', '/tickets.json', { subject, tags: ['lost'] }, headers),
      async verify({ json }) {
        const { json: list } = await api.request(
          'GET',
          `/tickets.json?q=${encodeURIComponent(`"${subject}"`)}`,
        );
        expect((list.tickets as { id: string }[]).map(({ id }) => id)).toEqual([json.id]);
      },
    };
  }

  /** Sends requests while connections are reset at the first messages of a name; returns their answers. */
  async function sendLosing(name: string, times: number, requests: readonly Repeatable[]): Promise<Answer[]> {
    let left = times;
    proxy.apply((command) => (nameOf(command) === name && left-- > 0 ? 'reset' : undefined));
    const answers = await Promise.all(requests.map(({ send }) => send()));
    proxy.apply(undefined);
    return answers;
  }

  /** Lists the messages of requests that succeed. */
  async function listMessages(requests: readonly Repeatable[]): Promise<string[]> {
    const names = new Set<string>();
    proxy.apply((command) => void (isOfRequests(command) && names.add(nameOf(command))));
    await Promise.all(requests.map(({ send }) => send()));
    proxy.apply(undefined);
    return [...names];
  }

  function expectSuccessOr503({ status, headers, text }: Answer, success: number): void {
    const expected = status === success ? [success, null] : [503, expect.stringMatching(/^\d+$/)];
    expect([status, headers.get('Retry-After')], text).toEqual(expected);
  }

  async function repeatUntil(success: number, { send }: Repeatable): Promise<Answer> {
    let answer = await send();
    while (answer.status === 503) answer = await send();
    expect(answer.status, answer.text).toBe(success);
    return answer;
  }

  /** Loses each message of requests in turn. */
  async function loseEach(create: () => Promise<readonly Repeatable[]>, { success = 201, times = 1 } = {}) {
    const names = await listMessages(await create());
    for (const name of names) {
      const requests = await create();
      const answers = await sendLosing(name, times, requests);
      try {
        for (const answer of answers) expectSuccessOr503(answer, success);
        for (const request of requests) await request.verify(await repeatUntil(success, request));
      } catch (cause) {
        throw new Error(`Lost: ${name}`, { cause });
      }
    }
    return names;
  }

  it.each<[string, number, number]>([
    ['one ticket', 1, 1],
    ['one ticket, three times in a row', 1, 3],
    ['a group of tickets', 3, 1],
  ])('adds %s with 201 or 503, and a retry duplicates nothing', async (_, size, times) => {
    const names = await loseEach(async () => Array.from({ length: size }, () => newTicket()), { times });
    const committing = ['request insert tickets', 'request commitTransaction', 'reply commitTransaction'];
    expect(names).toEqual(expect.arrayContaining(committing));
  });

  it('adds a reply with 201 or 503, and a retry duplicates nothing', async () => {
    await loseEach(async () => {
      const headers = { 'Idempotency-Key': randomUUID() };
      const { id } = await api.addTicket();
      return [
        {
          send: () => api.request('POST', `/ticket/${id}/replies.json`, { body: 'x' }, headers),
          async verify() {
            expect((await api.request('GET', `/ticket/${id}.json`)).json.version).toBe(2);
          },
        },
      ];
    });
  });

  it('adds a custom field with 201 or 503, and a retry duplicates nothing', async () => {
    const admin = signIn(api, 'admin', 'root@example.com');
    const fields = async () =>
      (await admin('GET', '/ticket_fields.json')).json.ticket_fields as { key: string }[];
    await loseEach(async () => {
      const headers = { 'Idempotency-Key': randomUUID() };
      const key = `field_${randomUUID().slice(0, 8)}`;
      const field = { key, title: key, type: 'integer' };
      return [
        {
          send: () => admin('POST', '/ticket_fields.json', field, headers),
          async verify() {
            expect((await fields()).filter((each) => each.key === key)).toHaveLength(1);
          },
        },
      ];
    });
  });

  it('adds a ticket without a key with 201 or 503, and an acknowledged one exists', async () => {
    const names = await listMessages([newTicket({})]);
    for (const name of names) {
      const ticket = newTicket({});
      const [answer] = await sendLosing(name, 1, [ticket]);
      expectSuccessOr503(answer as Answer, 201);
      if (answer?.status === 201) await ticket.verify(answer);
    }
  });

  it.each(['/tickets.json?total=true', '/changes.json?since=now', '/tags.json', '/people.json', '/me.json'])(
    'ends GET %s with 200 or 503',
    async (path) => {
      const reading = { send: () => api.request('GET', path), verify: async () => undefined };
      await loseEach(async () => [reading], { success: 200 });
    },
  );
});
