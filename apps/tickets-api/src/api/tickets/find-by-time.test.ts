import { useStarted } from '@keydesk/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { startApi } from '../../tests/api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

const api = useStarted(startApi);
let agent: Send;
beforeAll(async () => {
  agent = signIn(api, 'agent', 'grace@example.com');
  for (const [subject, due_at] of Object.entries({
    0: '2026-01-01T00:00:00Z',
    1: '2026-01-31T23:59:59.999Z',
    2: '2026-02-01T00:00:00+01:00',
    3: '2026-02-01T00:00:00Z',
    4: null,
  })) {
    await agent('POST', '/tickets.json', { subject, due_at });
  }
});

async function subjects(query: string): Promise<string> {
  const { json, text } = await agent('GET', `/tickets.json?sort=created_at&${query}`);
  expect(json.tickets, text).toBeDefined();
  return (json.tickets as { subject: string }[]).map(({ subject }) => subject).join('');
}

async function faults(query: string) {
  const { status, json } = await agent('GET', `/tickets.json?${query}`);
  return [status, json.errors];
}

describe('filters by time', () => {
  test.each([
    ['due_at=2026-01-31', '12'],
    ['due_at=2026-02-01', '3'],
    ['due_at=2026-01-30', ''],
    ['due_at=9999-12-31', ''],
    ['due_at[gte]=2026-02-01', '3'],
    ['due_at[gte]=2026-01-31&due_at[lt]=2026-02-01', '12'],
    ['due_at[lte]=2026-02-01&due_at[gt]=2026-01-01', '123'],
    ['due_at[gt]=2026-02-01', ''],
    ['due_at[lte]=2026-01-01', '0'],
    ['due_at[lt]=2026-01-01', ''],
    ['due_at[lte]=9999-12-31&due_at[gte]=0001-01-01', '0123'],
    ['due_at[gt]=9999-12-31', ''],
  ])('match a date as the whole day in UTC: %s', async (query, expected) => {
    expect(await subjects(query)).toBe(expected);
  });

  test.each([
    ['due_at=2026-01-31T23:00:00Z', '2'],
    ['due_at=2026-02-01T00:59:59.999%2B01:00', '1'],
    ['due_at=2026-01-31T23:00:00.001Z', ''],
  ])('match a time exactly: %s', async (query, expected) => {
    expect(await subjects(query)).toBe(expected);
  });

  test.each([
    ['due_at=2026-01-31&due_at[gte]=2026-01-31T23:30:00Z', '1'],
    ['due_at=2026-01-31&due_at[lte]=2026-01-31T23:30:00Z', '2'],
    ['due_at=2026-01-31&due_at[gte]=2026-01-01&due_at[lte]=2026-02-01', '12'],
    ['due_at=2026-01-31&due_at[gt]=2026-01-31T23:00:00Z', '1'],
    ['due_at=2026-01-31&due_at[gte]=2026-02-01', ''],
    ['due_at=2026-01-31&due_at[empty]=true', ''],
  ])('combine with each other: %s', async (query, expected) => {
    expect(await subjects(query)).toBe(expected);
  });

  test('find tickets created, and tickets changed, on a day', async () => {
    const { json } = await agent('GET', '/tickets.json?sort=created_at&limit=1');
    const [{ created_at = '' } = {}] = json.tickets as { created_at?: string }[];
    const day = created_at.slice(0, 10);
    expect(await subjects(`created_at=${day}&updated_at=${created_at}`)).toMatch(/^0/);
    expect(await subjects(`created_at=${created_at}&updated_at[lt]=${day}`)).toBe('');
  });

  test.each([
    '2026-02-30',
    '2026-2-1',
    '20260201',
    '2026-01-31,2026-02-01',
    '0000-12-31',
    '0000-12-31T23:59:59Z',
    '9999-12-31T23:59:59-23:59',
    '0000-01-01T00:00:00+23:59',
  ])('reject %s as a time', async (when) => {
    for (const field of ['due_at', 'due_at[lt]']) {
      const told = await faults(`${field}=${encodeURIComponent(when)}`);
      expect(told).toMatchObject([400, [{ field, code: 'invalid_value' }]]);
    }
  });

  test('explain the effect of a plus sign that was not percent-encoded', async () => {
    const [status, errors] = await faults('created_at[gte]=2026-01-31T09:00:00+01:00');
    expect([status, JSON.stringify(errors)]).toEqual([400, expect.stringContaining('+ as %2B')]);
  });
});
