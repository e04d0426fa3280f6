import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { connect, type Send, signIn } from '../people/people.fixture.ts';

let agent: Send;
let ada: Send;
let machine: Send;
let first: string;
let second: string;
let graceId: string;
let beginMs = 0;
let clockMs = Date.now();

interface Event {
  id: string;
  type: string;
  ticket_id: string;
  created_at: string;
}

/** Makes five changes, one per second of the clock; each has one event. */
async function prepare(api: TestApi): Promise<void> {
  const exp = Math.floor(Date.parse('2100-01-01') / 1000);
  agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace', exp });
  ada = signIn(api, 'customer', 'ada@example.com', { name: 'Ada', exp });
  machine = connect(api, 'agent', 'nightly-sync');
  beginMs = Date.now();
  clockMs = beginMs;
  const act = async (send: Send, method: string, path: string, body: unknown) => {
    clockMs += 1_000;
    const { status, json, text } = await send(method, path, body);
    expect(status, text).toBeLessThan(300);
    return json;
  };
  first = String((await act(ada, 'POST', '/tickets.json', { subject: 'x' })).id);
  second = String((await act(machine, 'POST', '/tickets.json', { subject: 'y' })).id);
  await act(agent, 'PUT', `/ticket/${first}.json`, { priority: 'high' });
  await act(ada, 'POST', `/ticket/${first}/replies.json`, { body: 'z' });
  await act(agent, 'DELETE', `/ticket/${second}.json`, undefined);
  graceId = String(((await agent('GET', '/me.json')).json.person as { id: string }).id);
}

async function find(query: string, send = agent): Promise<Event[]> {
  const { status, json, text } = await send('GET', `/events.json?${query}`);
  expect(status, text).toBe(200);
  return json.events as Event[];
}

const typesOf = (events: readonly Event[]) => events.map(({ type }) => type);
const all = ['ticket.created', 'ticket.created', 'ticket.changed', 'reply.added', 'ticket.deleted'];

function events(): void {
  test('of all tickets, including deleted ones, are listed for staff, newest first', async () => {
    expect(typesOf(await find(''))).toEqual(all.toReversed());
    expect(typesOf(await find('sort=created_at', machine))).toEqual(all);
    const [newest] = await find('limit=1');
    expect(newest?.ticket_id).toBe(second);
  });

  test('are forbidden to customers', async () => {
    for (const query of ['', '?actor=me', '?total=true']) {
      const { status, json } = await ada('GET', `/events.json${query}`);
      expect([status, json.code]).toEqual([403, 'forbidden']);
    }
  });

  test.each([
    ['type=ticket', [0, 1, 2, 4]],
    ['type=reply,ticket.changed', [2, 3]],
    ['type=ticket.restored', []],
    ['actor=me', [2, 4]],
    ['actor=nightly-sync', [1]],
    ['actor=me,nightly-sync', [1, 2, 4]],
    ['actor=system', []],
    ['client_id=nightly-sync', [1]],
    ['client_id=mobile-app&type=ticket.created', [0]],
    ['created_at[gte]=SECOND_2&created_at[lt]=SECOND_4', [1, 2]],
    ['created_at=SECOND_3', [2]],
    ['created_at[gte]=2026-01-01', [0, 1, 2, 3, 4]],
    ['created_at[lt]=2026-01-01', []],
    ['created_at[gt]=-2s', [4]],
    ['created_at[gte]=-2s&created_at[lte]=now', [3, 4]],
    ['created_at[lte]=-5s', [0]],
    ['created_at[gt]=%2B1w', []],
  ])('are found by %s, and counted', async (given, numbers) => {
    const query = given.replace(/SECOND_(\d)/g, (_, second) =>
      new Date(beginMs + Number(second) * 1_000).toISOString(),
    );
    clockMs = beginMs + 6_000;
    expect(typesOf(await find(`sort=created_at&${query}`))).toEqual(numbers.map((i) => all[i]));
    const { json } = await agent('GET', `/events.json?total=true&limit=1&${query}`);
    expect(json).toMatchObject({ total: numbers.length, total_is_exact: true });
  });

  test('are found by their tickets and by the ids of people, in either case', async () => {
    expect(typesOf(await find(`ticket_id=${second.toUpperCase()}`))).toEqual([all[4], all[1]]);
    expect(await find(`ticket_id=${first},${second}&type=ticket,reply`)).toHaveLength(5);
    expect(typesOf(await find(`actor=${graceId.toUpperCase()}&ticket_id=${first}`))).toEqual([all[2]]);
  });

  test('are listed in pages, each once, in JSON and XML', async () => {
    for (const sort of ['created_at', '-created_at']) {
      const read: Event[] = [];
      for (let path: string | undefined = `/events.json?sort=${sort}&limit=2`; path; ) {
        const { json, headers } = await agent('GET', path);
        read.push(...(json.events as Event[]));
        const xml = await agent('GET', path.replace('.json', '.xml'));
        for (const { id } of json.events as Event[]) expect(xml.text).toContain(`<event><id>${id}</id>`);
        const next: string | undefined = /<http:\/\/api\.example([^>]+)>/.exec(
          headers.get('Link') ?? '',
        )?.[1];
        expect(next === undefined).toBe(json.next_cursor === null);
        path = next;
      }
      expect(typesOf(read)).toEqual(sort === 'created_at' ? all : all.toReversed());
    }
  });

  test('of a relative time keep their bounds from page to page, even when the next page is read later', async () => {
    clockMs = beginMs + 6_000;
    const query = 'sort=created_at&created_at[gte]=-4s&limit=2';
    const { json } = await agent('GET', `/events.json?${query}`);
    clockMs += 3_600_000;
    const rest = await find(`${query}&cursor=${json.next_cursor}`);
    expect([...typesOf(json.events as Event[]), ...typesOf(rest)]).toEqual(all.slice(1));
    expect(await find(query)).toEqual([]);
  });

  test('have the selected fields and their id', async () => {
    const [event = {}] = await find('fields=type,actor&limit=1');
    expect(Object.keys(event).sort()).toEqual(['actor', 'id', 'type']);
    const { text } = await agent('GET', '/events.xml?fields=type&limit=1');
    expect(text).toMatch(/<event><id>[^<]*<\/id><type>ticket\.deleted<\/type><\/event>/);
  });

  test.each([
    ['type=tick', 'type'],
    ['type=', 'type'],
    ['actor=a%20b', 'actor'],
    ['actor=', 'actor'],
    ['client_id=%00', 'client_id'],
    ['ticket_id=7', 'ticket_id'],
    ['created_at[gte]=-7', 'created_at[gte]'],
    ['created_at[gte]=-7y', 'created_at[gte]'],
    ['created_at[gte]=7d', 'created_at[gte]'],
    ['created_at=-7d', 'created_at'],
    ['sort=type', 'sort'],
    ['fields=colour', 'fields'],
    ['cursor=abc', 'cursor'],
    ['colour=red', 'colour'],
  ])('reject %s, and say what to send instead', async (query, field) => {
    const { status, json } = await agent('GET', `/events.json?${query}`);
    expect([status, json.errors]).toMatchObject([400, [{ field }]]);
  });

  test('can’t be filtered by `me` when the caller is a machine', async () => {
    clockMs = beginMs + 6_000;
    const { status, json } = await machine('GET', '/events.json?actor=me');
    expect([status, json.errors]).toMatchObject([400, [{ field: 'actor' }]]);
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, prepare, { now: () => new Date(clockMs) });
  describe('events', events);
});
