import { useStarted } from '@keydesk/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { startApi } from '../../tests/api.fixture.ts';
import { connect } from '../people/people.fixture.ts';

const api = useStarted(startApi);
const made: string[] = [];
beforeAll(async () => {
  for (let i = 0; i < 9; i++) {
    const ticket = await api.addTicket({
      subject: `Ticket ${i}`,
      status: i % 2 === 0 ? 'open' : 'solved',
      priority: i < 3 ? 'high' : 'low',
      type: i < 2 ? 'incident' : null,
      tags: i === 4 ? ['special'] : [],
      requester: { email: `user${i % 3}@example.com` },
      assignee: i === 8 ? { email: 'agent@example.com' } : null,
    });
    made.push(ticket.id);
  }
});

async function idsOf(query: string): Promise<string[]> {
  const { status, text, json } = await api.request('GET', `/tickets.json${query}`);
  expect(status, text).toBe(200);
  return (json.tickets as { id: string }[]).map(({ id }) => id);
}

const newestFirst = (...numbers: number[]) => numbers.toSorted((a, b) => b - a).map((n) => made[n]);

describe('pages', () => {
  test('return every ticket once, whatever is inserted in the meantime', async () => {
    const seen: string[] = [];
    let path = '/tickets.json?limit=2';
    for (;;) {
      const { json, headers } = await api.request('GET', path);
      seen.push(...(json.tickets as { id: string }[]).map(({ id }) => id));
      if (json.next_cursor === null) {
        expect(headers.get('Link') ?? '').not.toContain('rel="next"');
        break;
      }
      const next = /<http:\/\/api\.example([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1];
      expect(next).toContain(String(json.next_cursor));
      path = String(next);
      const late = await api.addTicket({ subject: 'late' });
      await api.request('DELETE', `/ticket/${late.id}.json`);
    }
    expect(seen).toEqual(newestFirst(0, 1, 2, 3, 4, 5, 6, 7, 8));
  });

  test('have 25 tickets by default and at most 100', async () => {
    expect((await api.request('GET', '/tickets.json?limit=100')).status).toBe(200);
    for (const limit of ['0', '101', '-1', '1.5', 'ten', '']) {
      const { status, json } = await api.request('GET', `/tickets.json?limit=${limit}`);
      expect(status, limit).toBe(400);
      expect(json.errors).toMatchObject([{ field: 'limit' }]);
    }
  });

  test('a cursor continues only the list it came from', async () => {
    const { json } = await api.request('GET', '/tickets.json?limit=2&status=open');
    for (const query of [
      `status=solved&cursor=${json.next_cursor}`,
      `sort=created_at&status=open&cursor=${json.next_cursor}`,
      'cursor=abc',
      'cursor=eyJ9',
    ]) {
      const answer = await api.request('GET', `/tickets.json?limit=2&${query}`);
      expect(answer.status, query).toBe(400);
      expect(answer.json.errors).toMatchObject([{ field: 'cursor' }]);
    }
  });
});

describe('filters', () => {
  test.each([
    ['status=open', [0, 2, 4, 6, 8]],
    ['priority=high', [0, 1, 2]],
    ['type=incident', [0, 1]],
    ['tag=special', [4]],
    ['requester=USER1@example.com', [1, 4, 7]],
    ['assignee=agent@example.com', [8]],
    ['status=open&priority=low&requester=user0@example.com', [6]],
    ['tag=none', []],
  ])('%s', async (query, numbers) => {
    expect(await idsOf(`?${query}`)).toEqual(newestFirst(...numbers));
  });

  test('ranges of time include or exclude their bounds', async () => {
    const { json } = await api.request('GET', `/ticket/${made[4]}.json`);
    const at = encodeURIComponent(String(json.created_at));
    const [gte, gt, lte, lt] = await Promise.all(
      ['gte', 'gt', 'lte', 'lt'].map((operator) => idsOf(`?created_at[${operator}]=${at}`)),
    );
    expect(gte).toContain(made[4]);
    expect(lte).toContain(made[4]);
    expect(gt).not.toContain(made[4]);
    expect(lt).not.toContain(made[4]);
    expect(new Set([...(gt ?? []), ...(lte ?? [])])).toEqual(new Set(made));
    expect(await idsOf(`?updated_at[gte]=${at}&updated_at[lte]=${at}`)).toContain(made[4]);
  });
});

describe('sorts', () => {
  test('by creation and by change, in both directions', async () => {
    expect(await idsOf('?sort=created_at')).toEqual(made);
    expect(await idsOf('?sort=-created_at')).toEqual(made.toReversed());
    const { json } = await api.request('PUT', `/ticket/${made[3]}.json`, { subject: 'changed' });
    expect(json.version).toBe(2);
    expect((await idsOf('?sort=-updated_at'))[0]).toBe(made[3]);
    expect((await idsOf('?sort=updated_at')).at(-1)).toBe(made[3]);
  });
});

describe('query parameters', () => {
  test('unknown, repeated and invalid ones are all reported, with the URL of their documentation', async () => {
    const { status, json } = await api.request(
      'GET',
      '/tickets.json?colour=red&limit=1&limit=2&sort=subject',
    );
    expect(status).toBe(400);
    expect((json.errors as { field: string }[]).map(({ field }) => field).sort()).toEqual([
      'colour',
      'limit',
      'sort',
    ]);
    expect(JSON.stringify(json.errors)).toContain('see /docs#listTickets');
  });

  test('reject me in a request of a client without a user', async () => {
    const { status, json } = await connect(api, 'agent')('GET', '/tickets.json?assignee=me');
    expect([status, json.errors]).toMatchObject([400, [{ field: 'assignee', code: 'invalid_value' }]]);
  });
});

describe('a changed list', () => {
  test('has a new entity tag: 304 until a ticket of the page changes', async () => {
    const first = await api.request('GET', '/tickets.json?limit=3');
    const etag = first.headers.get('ETag') ?? '';
    const again = await api.request('GET', '/tickets.json?limit=3', undefined, { 'If-None-Match': etag });
    expect(again.status).toBe(304);
    expect(again.text).toBe('');
    await api.request('PUT', `/ticket/${made[8]}.json`, { subject: 'changed again' });
    const changed = await api.request('GET', '/tickets.json?limit=3', undefined, { 'If-None-Match': etag });
    expect(changed.status).toBe(200);
  });
});
