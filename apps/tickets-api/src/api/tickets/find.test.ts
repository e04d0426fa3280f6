import { describe, expect, test } from 'vitest';
import { createContractCheck } from '../../contract/check/contract-check.fixture.ts';
import type { OpenApiDocument } from '../../contract/openapi/document.ts';
import { ticketSchema } from '../../helpdesk/tickets/ticket.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';
import { customFieldNames } from './filter-parameters.ts';
import { listParameters } from './list-query.ts';

let api: TestApi;
let agent: Send;
let ada: Send;
let assertMatchesContract: ReturnType<typeof createContractCheck>;
const made: { id: string; requester: { id: string } | null }[] = [];

/** Tickets that the tests filter, created on each engine. */
async function prepare(started: TestApi): Promise<void> {
  api = started;
  made.length = 0;
  assertMatchesContract = createContractCheck(
    (await api.request('GET', '/openapi-full.json')).json as unknown as OpenApiDocument,
  );
  agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
  ada = signIn(api, 'customer', 'ada@example.com', { name: 'Ada' });
  const tickets = [
    { subject: '0', status: 'open', tags: ['vip'], external_id: 'CRM-7,a', custom_fields: { floor: 3 } },
    {
      subject: '1',
      status: 'pending',
      priority: 'urgent',
      assignee: { email: 'grace@example.com' },
      due_at: '2026-02-01T00:00:00Z',
    },
    {
      subject: '2',
      status: 'closed',
      priority: 'low',
      tags: ['vip', 'fire'],
      due_at: '2026-01-01T00:00:00Z',
    },
    { subject: '3', requester: { email: 'bob@example.com' }, custom_fields: { floor: '3rd' } },
  ];
  for (const ticket of tickets) {
    const requester = { email: 'ada@example.com', name: 'Ada' };
    const { json } = await agent('POST', '/tickets.json', { requester, ...ticket });
    made.push(json as unknown as (typeof made)[number]);
  }
  const admin = signIn(api, 'admin', 'root@example.com');
  // Values that predate the type of the field.
  await admin('POST', '/ticket_fields.json', { key: 'floor', title: 'Floor', type: 'integer' });
  for (let i = 0; i < 7; i++) {
    const visibility = i === 6 ? 'internal' : 'public';
    await agent('POST', `/ticket/${made[0]?.id}/replies.json`, { body: `reply ${i}`, visibility });
  }
}

async function look(send: Send, path: string) {
  const answer = await send('GET', path);
  expect(answer.status, answer.text).toBe(200);
  assertMatchesContract('GET', path, answer);
  return answer;
}

async function subjects(send: Send, query: string): Promise<string> {
  const { json } = await look(send, `/tickets.json?sort=created_at&${query}`);
  return (json.tickets as { subject: string }[]).map(({ subject }) => subject).join('');
}

function filters(): void {
  test.each([
    ['status=open,pending', '01'],
    ['status[not]=open,closed', '13'],
    ['tag=fire,vip', '02'],
    ['tag[all]=fire,vip', '2'],
    ['tag[not]=fire', '013'],
    ['tag[empty]=true', '13'],
    ['assignee=me', '1'],
    ['assignee[empty]=true', '023'],
    ['requester[not]=ada@example.com', '3'],
    ['due_at[lt]=2026-01-15T00:00:00Z', '2'],
    ['due_at[empty]=false', '12'],
    ['external_id=CRM-7%5C,a', '0'],
    ['external_id=CRM-7,a', ''],
    ['channel=web', ''],
    ['custom_fields.floor=3', '0'],
    ['custom_fields.floor[gte]=2&custom_fields.floor[lt]=4', '0'],
    ['custom_fields.floor[not]=3', '123'],
    ['custom_fields.floor[empty]=true', '12'],
    ['closed_at[empty]=false', '2'],
  ])('%s', async (query, expected) => {
    expect(await subjects(agent, query)).toBe(expected);
  });

  test('match a person by id, and an unknown id matches no ticket', async () => {
    expect(await subjects(agent, `requester=${made[3]?.requester?.id}`)).toBe('3');
    expect(await subjects(agent, `requester=${made[3]?.id}`)).toBe('');
  });

  test('find tickets by their ids, versions and links', async () => {
    const [first, , third, last] = made.map(({ id }) => id);
    expect(await subjects(agent, `id=${third},${last}&status=new`)).toBe('3');
    expect(await subjects(agent, `id[not]=${third},${last}`)).toBe('01');
    expect(await subjects(ada, `id=${third},${last}`)).toBe('2');
    expect(await subjects(agent, 'version[gt]=1')).toBe('0');
    expect(await subjects(agent, 'version=1')).toBe('123');
    const linking = { type: 'related', ticket_id: last };
    expect((await agent('POST', `/ticket/${first}/links.json`, linking)).status).toBe(200);
    expect(await subjects(agent, `links=${last}`)).toBe('0');
    expect(await subjects(agent, 'links[empty]=false')).toBe('03');
    expect((await agent('DELETE', `/ticket/${first}/link/${last}.json`)).status).toBe(200);
  });

  test('find only deleted tickets by the time of deletion', async () => {
    const { json } = await agent('POST', '/tickets.json', { subject: 'gone' });
    const { json: deleted } = await agent('DELETE', `/ticket/${json.id}.json`);
    expect(await subjects(agent, `deleted=true&deleted_at[gte]=${deleted.deleted_at}`)).toBe('gone');
    expect(await subjects(agent, `deleted=true&deleted_at[gt]=${deleted.deleted_at}`)).toBe('');
    const { status, json: problem } = await agent(
      'GET',
      `/tickets.json?deleted_at[gt]=${deleted.deleted_at}`,
    );
    expect([status, problem.errors]).toMatchObject([400, [{ field: 'deleted_at[gt]' }]]);
  });

  test('exist for every field of a ticket except the searched texts', () => {
    const named: Readonly<Record<string, string>> = { tags: 'tag', custom_fields: 'custom_fields.NAME' };
    const searched = ['subject', 'description'];
    const known = [...listParameters, ...customFieldNames].map((name) => name.replace(/\[\w+\]$/, ''));
    for (const field of Object.keys(ticketSchema.shape)) {
      expect(known.includes(named[field] ?? field), field).toBe(!searched.includes(field));
    }
  });

  test('by due date list tickets without one last, page by page', async () => {
    const order: string[] = [];
    let cursor = '';
    for (let i = 0; i < 4; i++) {
      const { json } = await look(agent, `/tickets.json?sort=due_at&limit=1${cursor}`);
      order.push((json.tickets as { subject: string }[])[0]?.subject ?? '');
      cursor = `&cursor=${json.next_cursor}`;
    }
    expect(order.join('')).toBe('2103');
  });

  test.each([
    ['priority', '2031'],
    ['-priority', '1302'],
    ['status', '3012'],
    ['-status', '2103'],
  ])('work with a list by %s, page by page, in JSON and XML', async (sort, expected) => {
    const order: string[] = [];
    let cursor = '';
    for (let i = 0; i < 4; i++) {
      const path = `sort=${sort}&limit=1${cursor}`;
      const { json } = await look(agent, `/tickets.json?${path}`);
      order.push((json.tickets as { subject: string }[])[0]?.subject ?? '');
      expect((await look(agent, `/tickets.xml?${path}`)).text).toContain(
        `<subject>${order.at(-1)}</subject>`,
      );
      cursor = `&cursor=${json.next_cursor}`;
    }
    expect(order.join('')).toBe(expected);
    const other = sort.startsWith('-') ? sort.slice(1) : `-${sort}`;
    expect((await agent('GET', `/tickets.json?sort=${other}&limit=1${cursor}`)).status).toBe(400);
  });

  test.each([
    'id=7',
    'version=first',
    'subject=0',
    'status=odd',
    'assignee=nobody',
    'due_at[empty]=yes',
    'tag[some]=a',
    'custom_fields.Floor=3',
    'fields=colour',
    'include=tags',
    'requester=*@acme.example',
    'requester=ada@',
    'assignee=somebody%20else@example.com',
    'cc=7',
    'tag=%00',
    'tag=two%20words',
    'tag=a%5C,b',
    'tag[not]=%09',
    'tag=',
    'external_id=%01',
    'external_id=',
    'custom_fields.floor=%00',
    'follow_up_of=none',
    'links[all]=7',
    'reply_count[gte]=-1',
    'due_at[gte]=yesterday',
  ])('rejects %s with the known values', async (query) => {
    const { status, json } = await agent('GET', `/tickets.json?${query}`);
    expect(status).toBe(400);
    type Fault = { field: string; message: string };
    const [{ field, message } = { field: '', message: '' }] = json.errors as Fault[];
    expect(query.startsWith(field)).toBe(true);
    if (/^(subject|custom_fields.Floor|tag\[some\])=/.test(query))
      expect(message).toMatch(/send q|did you mean (tag, tag\[all\]|custom_fields.NAME, )/);
    if (/^(requester|assignee|cc)=/.test(query))
      expect(message).toContain('an e-mail address, the id of a person, or me');
  });
}

function customer(): void {
  test.each([
    'tag=vip',
    'tag[empty]=true',
    'external_id=CRM-7',
    'followers=me',
    'follow_up_of[empty]=true',
    'links[empty]=true',
  ])('may not filter by %s, whether or not any ticket matches', async (query) => {
    const { status, json } = await ada('GET', `/tickets.json?${query}&total=true`);
    expect(status).toBe(403);
    expect(json.code).toBe('forbidden');
    expect(await ada('GET', `/tickets.json?total=true&sort=created_at`)).toMatchObject({ status: 200 });
  });

  test('finds and counts only their own tickets', async () => {
    expect(await subjects(ada, 'requester=me&status=open,pending,new')).toBe('01');
    expect((await look(ada, '/tickets.json?total=true')).json).toMatchObject({
      total: 3,
      total_is_exact: true,
    });
    expect((await look(agent, '/tickets.json?total=true&limit=1')).json).toMatchObject({ total: 4 });
  });

  test('gets no internal reply and no other person as side load', async () => {
    const path = `/ticket/${made[0]?.id}.json?include=replies,requester`;
    const { included } = (await look(ada, path)).json as {
      included: { people: object[]; replies: { body: string }[] };
    };
    expect(included.replies.map(({ body }) => body)).toEqual([5, 4, 3, 2, 1].map((i) => `reply ${i}`));
    expect(included.people).toMatchObject([{ email: 'ada@example.com' }]);
    const page = await look(ada, '/tickets.json?include=assignee,replies');
    expect((page.json.included as { people: object[] }).people).toEqual([]);
    expect(page.text).not.toContain('reply 6');
  });
}

function whatIsSent(): void {
  test('includes each person once, and the newest replies, in JSON and XML', async () => {
    const { json } = await look(
      agent,
      '/tickets.json?include=requester,assignee,replies&sort=created_at&total=true',
    );
    const { people, replies } = json.included as { people: { email: string }[]; replies: { body: string }[] };
    expect(people.map(({ email }) => email)).toEqual([
      'ada@example.com',
      'grace@example.com',
      'bob@example.com',
    ]);
    expect(replies.map(({ body }) => body)).toEqual([6, 5, 4, 3, 2].map((i) => `reply ${i}`));
    const xml = await look(agent, '/tickets.xml?include=requester,replies&total=true&fields=subject');
    expect(xml.text).toMatch(
      /<tickets total="4" total_is_exact="true"><ticket><id>[^<]*<\/id><subject>3<\/subject><\/ticket>/,
    );
    expect(xml.text).toContain('</ticket><included><people><person>');
  });

  test('has only the selected fields, with its own entity tag that still guards a change', async () => {
    const path = `/ticket/${made[1]?.id}`;
    const { json, headers } = await look(agent, `${path}.json?fields=subject`);
    expect(json).toEqual({ id: made[1]?.id, subject: '1' });
    const whole = await look(agent, `${path}.json`);
    expect(headers.get('ETag')).not.toBe(whole.headers.get('ETag'));
    const condition = { 'If-Match': headers.get('ETag') ?? '' };
    expect((await agent('PUT', `${path}.json`, { priority: 'high' }, condition)).status).toBe(200);
    expect((await agent('PUT', `${path}.json`, { priority: 'low' }, condition)).status).toBe(412);
  });
}

function deletedTicket(): void {
  test('is 404, with the reason for staff and without it for customers', async () => {
    const requester = { email: 'ada@example.com' };
    const { json } = await agent('POST', '/tickets.json', { subject: 'gone', requester });
    await agent('DELETE', `/ticket/${json.id}.json`);
    const [staffs, customers, none] = await Promise.all([
      agent('GET', `/ticket/${json.id}.json`),
      ada('GET', `/ticket/${json.id}.json`),
      ada('GET', `/ticket/${made[3]?.id}.json`),
    ]);
    expect([staffs.status, customers.status, none.status]).toEqual([404, 404, 404]);
    expect(staffs.json.detail).toContain(`POST /ticket/${json.id}/restore`);
    expect(customers.json.detail).toBe(none.json.detail);
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, prepare);
  describe('filters', filters);
  describe('a customer', customer);
  describe('a response', whatIsSent);
  describe('a deleted ticket', deletedTicket);
});
