import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

let api: TestApi;
let agent: Send;
let ada: Send;
let bob: Send;
let graceId = '';

async function prepare(started: TestApi): Promise<void> {
  api = started;
  agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
  ada = signIn(api, 'customer', 'ada@example.com', { name: 'Ada' });
  bob = signIn(api, 'customer', 'bob@example.com', { name: 'Bob' });
  expect((await agent('GET', '/me.json')).status).toBe(200);
  const assignee = { email: 'grace@example.com' };
  const requester = { email: 'ada@example.com' };
  for (const fields of [
    { status: 'open', priority: 'urgent', assignee, tags: ['fire', 'vip'], requester },
    { status: 'open', type: 'incident', assignee, tags: ['fire'], requester },
    { status: 'solved', priority: 'urgent', requester },
    { status: 'new', type: 'incident', tags: ['vip'], channel: 'phone' },
    { status: 'new', priority: 'low' },
  ]) {
    const { json, status, text } = await agent('POST', '/tickets.json', { subject: 'x', ...fields });
    expect(status, text).toBe(201);
    if (json.assignee) graceId = (json.assignee as { id: string }).id;
  }
  const { json } = await agent('POST', '/tickets.json', {
    subject: 'gone',
    status: 'open',
    assignee,
    requester,
  });
  await agent('DELETE', `/ticket/${json.id}.json`);
}

interface Count {
  by: string;
  value: string | null;
  count: number;
  is_exact: boolean;
}

/** Returns the counts by value, except zeros. */
async function count(query: string, send = agent): Promise<Record<string, number>> {
  const { status, json, text } = await send('GET', `/ticket_counts.json?${query}`);
  expect(status, text).toBe(200);
  const counts = json.ticket_counts as Count[];
  expect(counts.every((each) => each.is_exact)).toBe(true);
  return Object.fromEntries(
    counts.filter((each) => each.count > 0).map((each) => [String(each.value), each.count]),
  );
}

function counts(): void {
  test.each([
    ['', { new: 2, open: 2, solved: 1 }],
    ['by=status', { new: 2, open: 2, solved: 1 }],
    ['by=status&priority=urgent', { open: 1, solved: 1 }],
    ['by=status&status=open,solved', { open: 2, solved: 1 }],
    ['by=status&status[not]=new', { open: 2, solved: 1 }],
    ['by=status&created_at[lt]=-1d', {}],
    ['by=priority', { low: 1, normal: 2, urgent: 2 }],
    ['by=priority&tag=fire', { normal: 1, urgent: 1 }],
    ['by=type', { incident: 2, null: 3 }],
    ['by=type&type[empty]=false', { incident: 2 }],
    ['by=type&type[empty]=true', { null: 3 }],
    ['by=type&type=incident', { incident: 2 }],
    ['by=channel&type=incident', { api: 1, phone: 1 }],
    ['by=tag', { fire: 2, vip: 2, null: 2 }],
    ['by=tag&status=open', { fire: 2, vip: 1 }],
    ['by=tag&channel=web', {}],
  ])('count only tickets that match the filters: %s', async (query, expected) => {
    expect(await count(query)).toEqual(expected);
  });

  test('of people are grouped by id', async () => {
    expect(await count('by=assignee')).toEqual({ [graceId]: 2, null: 3 });
    expect(await count('by=assignee&assignee=me')).toEqual({ [graceId]: 2 });
    expect(await count('by=assignee&assignee[empty]=true')).toEqual({ null: 3 });
    expect(await count('by=status&assignee=grace@example.com&tag=vip')).toEqual({ open: 1 });
  });

  test('list every word in sort order, and other values by frequency', async () => {
    const { json } = await agent('GET', '/ticket_counts.json?by=status,tag');
    const found = (json.ticket_counts as Count[]).map(({ by, value }) => `${by} ${value}`);
    expect(found).toEqual([
      ...['new', 'open', 'pending', 'hold', 'solved', 'closed'].map((word) => `status ${word}`),
      ...['fire', 'vip', null].map((tag) => `tag ${tag}`),
    ]);
    expect(json.ticket_counts).toContainEqual({ by: 'status', value: 'hold', count: 0, is_exact: true });
  });

  test('are the same in XML', async () => {
    const { text } = await agent('GET', '/ticket_counts.xml?by=type&type=incident,task');
    expect(text).toContain(
      '<ticket_count><by>type</by><value>incident</value><count>2</count><is_exact>true</is_exact></ticket_count>',
    );
    expect(text).toContain('<value nil="true"/><count>0</count>');
  });

  test('of customers include only tickets that they see', async () => {
    expect(await count('by=status', ada)).toEqual({ open: 2, solved: 1 });
    expect(await count('by=priority&status=open', ada)).toEqual({ normal: 1, urgent: 1 });
    expect(await count('by=assignee', ada)).toEqual({ [graceId]: 2, null: 1 });
    expect(await count('by=status,assignee', bob)).toEqual({});
    for (const query of ['by=tag', 'by=status&tag=vip']) {
      const { status, json } = await ada('GET', `/ticket_counts.json?${query}`);
      expect([status, json.code]).toEqual([403, 'forbidden']);
    }
  });

  test('equal the totals of the lists with the same filters', async () => {
    for (const [by, value] of [
      ['status', 'open'],
      ['priority', 'urgent'],
      ['tag', 'vip'],
    ] as const) {
      const { json } = await agent('GET', `/tickets.json?limit=1&total=true&${by}=${value}`);
      expect((await count(`by=${by}`))[value]).toBe(json.total);
    }
  });

  test.each([
    ['by=', 'by', 'must be one of status, status_category, priority, type, channel, assignee, tag'],
    ['by=subject', 'by', 'must be one of status'],
    ['by=status&status=odd', 'status', 'must be one of new'],
    ['by=status&limit=1', 'limit', 'is not offered for ticket_counts; see /docs#countTickets'],
    ['by=status&sort=status', 'sort', 'is not offered for ticket_counts; see /docs#countTickets'],
    ['bye=status', 'bye', 'did you mean by?'],
  ])('are rejected for %j with the supported values', async (query, field, told) => {
    const { status, json } = await agent('GET', `/ticket_counts.json?${query}`);
    expect([status, json.errors]).toMatchObject([400, [{ field, message: expect.stringContaining(told) }]]);
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, prepare);
  describe('counts of tickets', counts);
});
