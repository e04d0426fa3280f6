import { beforeEach, describe, expect, test } from 'vitest';
import { toChangeTime } from '../../helpdesk/commit/change-time.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

/** Milliseconds that the clock of the API is ahead: less than the lifetime of a token. */
const WRONG_MS = 300_000;

/** Guarantees of every resource about `updated_at` after the clock of a process was wrong. */
function wrongClocks(createDatabase: () => Promise<TestDatabase>): void {
  let aheadMs = 0;
  let agent: Send;
  let admin: Send;
  let customer: Send;
  useApi(
    createDatabase,
    (api: TestApi) => {
      admin = signIn(api, 'admin', 'admin@example.com');
      agent = signIn(api, 'agent', 'agent@example.com');
      customer = signIn(api, 'customer', 'ada@example.com');
    },
    { now: () => new Date(Date.now() + aheadMs) },
  );
  beforeEach(() => {
    aheadMs = 0;
  });

  const at = (resource: Record<string, unknown>) => Date.parse(String(resource.updated_at));

  async function addTicket(): Promise<string> {
    const requester = { email: 'ada@example.com' };
    return String((await agent('POST', '/tickets.json', { subject: 's', requester })).json.id);
  }

  describe('updated_at', () => {
    test('of a ticket that a process with a fast clock changed is corrected by the next change', async () => {
      const id = await addTicket();
      const path = `/ticket/${id}.json`;
      aheadMs = WRONG_MS;
      const wrong = await agent('PUT', path, { subject: 'by a clock ahead' });
      expect(at(wrong.json)).toBeGreaterThan(Date.now());
      aheadMs = 0;
      const { position } = (await customer('GET', '/changes.json?since=now')).json;
      const right = await agent('PUT', path, { ...wrong.json, subject: 'by a right one' });
      expect([right.status, right.json.version]).toEqual([200, 3]);
      expect(right.headers.get('ETag')).not.toBe(wrong.headers.get('ETag'));
      for (const send of [agent, customer]) {
        const { json } = await send('GET', path);
        expect(at(json)).toBeLessThanOrEqual(Date.now());
      }
      const { changes } = (await customer('GET', `/changes.json?since=${position}`)).json;
      expect(changes).toMatchObject([{ id, ticket: { version: 3 } }]);
      const later = await addTicket();
      const { json } = await agent('GET', '/tickets.json?sort=-updated_at&limit=2');
      expect((json.tickets as { id: string }[]).map((ticket) => ticket.id)).toEqual([later, id]);
      const since = new Date(Date.now() + WRONG_MS / 10).toISOString();
      expect((await customer('GET', `/tickets.json?updated_at[gte]=${since}`)).json.tickets).toEqual([]);
    });

    test('of a reply and of a field definition is corrected by the next change', async () => {
      const ticket = await addTicket();
      const { id: reply } = (await agent('POST', `/ticket/${ticket}/replies.json`, { body: 'x' })).json;
      const field = { key: 'floor', title: 'Floor', type: 'text' };
      const { id: defined } = (await admin('POST', '/ticket_fields.json', field)).json;
      const change = async (text: string) => [
        (await agent('PUT', `/ticket/${ticket}/reply/${reply}.json`, { body: text })).json,
        (await admin('PUT', `/ticket_field/${defined}.json`, { title: text })).json,
      ];
      aheadMs = WRONG_MS;
      for (const each of await change('by a clock ahead')) expect(at(each)).toBeGreaterThan(Date.now());
      aheadMs = 0;
      for (const each of await change('by a right one')) expect(at(each)).toBeLessThanOrEqual(Date.now());
    });

    test('is never before created_at, which never changes', async () => {
      aheadMs = WRONG_MS;
      const id = await addTicket();
      const { created_at } = (await agent('PUT', `/ticket/${id}.json`, { subject: 'again' })).json;
      aheadMs = 0;
      const { json } = await agent('PUT', `/ticket/${id}.json`, { subject: 'by a right one' });
      expect(json).toMatchObject({ created_at, updated_at: created_at, version: 3 });
    });
  });
}

onEveryEngine(wrongClocks);

describe('the time of a change', () => {
  const createdAt = '2026-01-31T09:00:00.000Z';

  test.each([
    ['is now', '2026-01-31T09:30:00.000Z', '2026-01-31T10:00:00.000Z', '2026-01-31T10:00:00.000Z'],
    [
      'does not go back when clocks differ slightly',
      '2026-01-31T10:00:05.000Z',
      '2026-01-31T10:00:00.000Z',
      '2026-01-31T10:00:05.000Z',
    ],
    [
      'goes back to now from a time further ahead',
      '2026-01-31T10:00:05.001Z',
      '2026-01-31T10:00:00.000Z',
      '2026-01-31T10:00:00.000Z',
    ],
    ['is not before creation', '2026-01-31T10:00:00.000Z', '2026-01-31T08:00:00.000Z', createdAt],
  ])('%s', (_, previous, now, expected) => {
    expect(toChangeTime(previous, { createdAt, now: new Date(now) })).toBe(expected);
  });
});
