import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

let agent: Send;
let ada: Send;
let aheadMs = 0;

/**
 * Five tickets of Ada in order of creation. She waits for a reply on 0 since its creation and on 2 since its last
 * reply. She does not wait on 1 and 3; 4 is solved.
 */
async function prepare(api: TestApi): Promise<void> {
  agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
  ada = signIn(api, 'customer', 'ada@example.com', { name: 'Ada' });
  aheadMs = 0;
  const requester = { email: 'ada@example.com' };
  const ids: string[] = [];
  for (const [i, fields] of [
    { priority: 'low', status: 'open' },
    { priority: 'urgent', status: 'open' },
    { priority: 'urgent', status: 'new' },
    { priority: 'low', status: 'pending' },
    { priority: 'low', status: 'solved' },
  ].entries()) {
    aheadMs += 10;
    const { json } = await agent('POST', '/tickets.json', { subject: String(i), requester, ...fields });
    ids.push(String(json.id));
  }
  const reply = async (send: Send, i: number) => {
    aheadMs += 10;
    expect((await send('POST', `/ticket/${ids[i]}/replies.json`, { body: 'x' })).status).toBe(201);
  };
  await reply(agent, 3);
  await reply(agent, 2);
  await reply(agent, 1);
  await reply(ada, 2);
  await reply(ada, 2);
}

async function readPages(send: Send, query: string, format: 'json' | 'xml'): Promise<string> {
  let order = '';
  let cursor: string | undefined = '';
  for (let i = 0; cursor !== undefined && i < 20; i++) {
    const path = `/tickets.${format}?${query}&limit=1${cursor && `&cursor=${cursor}`}`;
    const { status, text, headers } = await send('GET', path);
    expect(status, text).toBe(200);
    order += /subject(?:":"|>)(\d)/.exec(text)?.[1] ?? '';
    cursor = /[?&]cursor=([^&>]+)/.exec(headers.get('Link') ?? '')?.[1];
  }
  return order;
}

function sorts(): void {
  test.each([
    ['sort=waiting_since&status=open,new', '021'],
    ['sort=waiting_since', '02134'],
    ['sort=-waiting_since', '20431'],
    ['sort=waiting_since&waiting_since[empty]=false', '02'],
    ['sort=-waiting_since&waiting_since[empty]=true', '431'],
    ['sort=waiting_since&waiting_since[lt]=now', '02'],
    ['sort=last_reply_at', '31204'],
    ['sort=-last_reply_at', '21340'],
    ['sort=last_customer_reply_at', '20134'],
    ['sort=-reply_count&reply_count[gte]=1&status=open,new', '21'],
    ['sort=-reply_count&reply_count=3', '2'],
    ['sort=-priority,created_at', '12034'],
    ['sort=-priority', '21430'],
    ['sort=priority,-created_at', '43021'],
    ['sort=priority,waiting_since', '03421'],
    ['sort=-priority,waiting_since&status=open,new', '210'],
    ['sort=status,-priority', '21034'],
    ['sort=-status,priority', '43012'],
    ['sort=-status,-last_reply_at&status=open,pending', '310'],
  ])('%s pages in JSON and XML, the same to staff and customers', async (query, expected) => {
    aheadMs += 1_000;
    for (const send of [agent, ada]) {
      expect(await readPages(send, query, 'json')).toBe(expected);
      expect(await readPages(send, query, 'xml')).toBe(expected);
    }
  });

  test.each([
    'sort=created_at,priority',
    'sort=waiting_since,-priority',
    'sort=priority,-priority',
    'sort=priority,relevance',
    'sort=relevance,priority',
    'sort=priority,status,created_at',
    'sort=subject',
    'sort=',
    'sort=priority,',
    'sort=-relevance',
  ])('%s is rejected', async (query) => {
    const { status, json } = await agent('GET', `/tickets.json?${query}`);
    expect([status, json.errors]).toMatchObject([400, [{ field: 'sort' }]]);
  });

  test('rejects a cursor of another order, and a forged one', async () => {
    const { json } = await agent('GET', '/tickets.json?sort=-priority,created_at&limit=1');
    const other = await agent('GET', `/tickets.json?sort=-priority&cursor=${json.next_cursor}`);
    expect([other.status, other.json.errors]).toMatchObject([400, [{ field: 'cursor' }]]);
    const [place, ...rest] = JSON.parse(Buffer.from(String(json.next_cursor), 'base64url').toString());
    for (const changes of [
      { path: ['none'] },
      { path: ['urgent', 'urgent'] },
      { path: undefined },
      { value: 7 },
      { value: null },
      { score: 7 },
      { id: 'x' },
    ]) {
      const forged = Buffer.from(JSON.stringify([{ ...place, ...changes }, ...rest])).toString('base64url');
      const { status } = await agent('GET', `/tickets.json?sort=-priority,created_at&cursor=${forged}`);
      expect([200, 400]).toContain(status);
      if (!('score' in changes)) expect(status, JSON.stringify(changes)).toBe(400);
    }
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, prepare, { now: () => new Date(Date.now() + aheadMs) });
  describe('a list of tickets by', sorts);
});
