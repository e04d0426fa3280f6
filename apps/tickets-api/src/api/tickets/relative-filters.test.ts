import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { connect, type Send, signIn } from '../people/people.fixture.ts';

const HOUR_MS = 3_600_000;

let agent: Send;
let machine: Send;
let beginMs = 0;
let aheadMs = 0;

/** Tickets due at intervals of an hour, the first one now. */
async function prepare(api: Parameters<typeof signIn>[0]): Promise<void> {
  const exp = Math.floor(Date.now() / 1000) + 100 * 3600;
  agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace', exp });
  machine = connect(api, 'agent');
  beginMs = Date.now();
  aheadMs = 0;
  for (let i = 0; i < 6; i++) {
    const due_at = new Date(beginMs + i * HOUR_MS).toISOString();
    await agent('POST', '/tickets.json', {
      subject: String(i),
      due_at,
      cc: [{ email: 'grace@example.com' }],
    });
  }
  aheadMs = 3.5 * HOUR_MS;
}

async function list(query: string, send = agent) {
  const { status, json, text } = await send('GET', `/tickets.json?sort=due_at&${query}`);
  expect(status, text).toBe(200);
  const subjects = (json.tickets as { subject: string }[]).map(({ subject }) => subject).join('');
  return { subjects, next: json.next_cursor };
}

function relativeTimes(): void {
  test.each([
    ['due_at[lt]=now', '0123'],
    ['due_at[gte]=-1h', '345'],
    ['due_at[gte]=-90m&due_at[lt]=%2B90m', '234'],
    ['due_at[gt]=%2B3600s', '5'],
    ['due_at[lt]=-1d', ''],
    ['due_at[gt]=-1w&due_at[lte]=-0s', '0123'],
    ['created_at[gte]=-4h', '012345'],
    ['created_at[gte]=-3h', ''],
  ])('are relative to the time of the request: %s', async (query, expected) => {
    aheadMs = 3.5 * HOUR_MS;
    const { subjects } = await list(query);
    expect(subjects).toBe(expected);
  });

  test('mean the same time on every page of a list, and a new time in the next list', async () => {
    aheadMs = 2.5 * HOUR_MS;
    const query = 'due_at[lt]=now&limit=2';
    const first = await list(query);
    expect(first.subjects).toBe('01');
    aheadMs = 5.5 * HOUR_MS;
    const second = await list(`${query}&cursor=${first.next}`);
    expect(second).toEqual({ subjects: '2', next: null });
    expect((await list('due_at[lt]=now')).subjects).toBe('012345');
    aheadMs = 0.5 * HOUR_MS;
    expect((await list('due_at[lt]=now')).subjects).toBe('0');
    const other = await agent('GET', `/tickets.json?sort=due_at&due_at[lt]=%2B1h&cursor=${first.next}`);
    expect(other.status).toBe(400);
  });

  test.each(['due_at[gte]=7d', 'due_at[gte]=-7', 'due_at[lt]=-1y', 'due_at[lt]=-123456d', 'due_at=-7d'])(
    'are rejected as %s, with the supported units',
    async (query) => {
      const { status, json } = await agent('GET', `/tickets.json?${query}`);
      const [field] = query.split('=');
      expect([status, json.errors]).toMatchObject([400, [{ field, code: 'invalid_value' }]]);
      if (field !== 'due_at') expect(JSON.stringify(json.errors)).toContain('-7d (units: s, m, h, d, w)');
    },
  );
}

function me(): void {
  test.each(['requester', 'assignee', 'cc', 'followers'])('is the caller as %s', async (field) => {
    aheadMs = 0;
    expect((await list(`${field}=me`)).subjects).toBe(field === 'cc' ? '012345' : '');
    const { status, json } = await machine('GET', `/tickets.json?${field}=me`);
    expect([status, json.errors]).toMatchObject([400, [{ field }]]);
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, prepare, { now: () => new Date(beginMs + aheadMs) });
  describe('relative times', relativeTimes);
  describe('me', me);
});
