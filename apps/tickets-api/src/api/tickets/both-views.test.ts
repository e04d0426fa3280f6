import { describeWith } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../../storage/test-database.fixture.ts';
import { startApi, type TestApi, withoutRequestId } from '../../tests/api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

/** Everything that a customer receives about their tickets: body, entity tag, links and status of each response. */
async function lookAround(customer: Send, ids: readonly string[]) {
  const ofTickets = ids.flatMap((id) => [`/ticket/${id}`, `/ticket/${id}/replies`, `/ticket/${id}/events`]);
  const lists = ['sort=-updated_at', 'limit=1', 'tag=vip', 'assignee=grace@example.com', 'status=open'];
  const found = ['q=printer&highlight=true&total=true', 'q=printer&sort=relevance', 'q=again&total=true'];
  const shown = 'include=replies,requester,assignee&fields=subject,tags,links,updated_at';
  const tickets = [...lists, ...found, shown].map((query) => `/tickets?${query}`);
  const paths = [...ofTickets, ...tickets, `/ticket/${ids[0]}?${shown}`, '/ticket_fields', '/me', '/changes'];
  const seen: Record<string, unknown> = {};
  for (const path of paths) {
    for (const format of ['json', 'xml']) {
      const suffixed = path.replace(/(\?|$)/, `.${format}$1`);
      const answer = await customer('GET', suffixed);
      const { status, headers } = answer;
      seen[suffixed] = [status, withoutRequestId(answer), headers.get('ETag'), headers.get('Link')];
    }
  }
  return seen;
}

type Step = [what: string, who: 'agent' | 'customer', method: string, path: string, body?: unknown];

const openly: readonly Step[] = [
  ['an agent replies in public', 'agent', 'POST', '/replies', { body: 'Which printer?', status: 'pending' }],
  ['the customer replies', 'customer', 'POST', '/replies', { body: 'The red one.' }],
  ['an agent assigns it', 'agent', 'PUT', '', { assignee: { email: 'grace@example.com', name: 'Grace' } }],
  ['the customer changes its subject', 'customer', 'PUT', '', { subject: 'The red printer burns' }],
  ['an agent solves it', 'agent', 'PATCH', '', { status: 'solved' }],
];

const internally: readonly Step[] = [
  ['a note', 'agent', 'POST', '/replies', { body: 'Again this customer.', visibility: 'internal' }],
  ['tags', 'agent', 'PUT', '', { tags: ['vip', 'fire'] }],
  ['followers', 'agent', 'PUT', '', { followers: [{ email: 'boss@example.com' }] }],
  ['custom fields', 'agent', 'PATCH', '', { custom_fields: { floor: 3 } }],
  ['another tag', 'agent', 'POST', '/tags', { tags: ['hot'] }],
  ['an external id', 'agent', 'PUT', '', { external_id: 'CRM-7' }],
];

const takenBack: readonly Step[] = [
  ['a deletion', 'agent', 'DELETE', ''],
  ['its restoration', 'agent', 'POST', '/restore'],
];

function bothViews(createDatabase: () => Promise<TestDatabase>): void {
  test('a customer receives the same responses with and without internal changes by staff', async () => {
    const database = await createDatabase();
    const api: TestApi = await startApi({ storageUrl: database.storageUrl });
    const agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
    const customer = signIn(api, 'customer', 'ada@example.com', { name: 'Ada' });
    const who = { agent, customer };
    const { json: ticket } = await customer('POST', '/tickets.json', { subject: 'The printer burns' });
    const { json: foreign } = await agent('POST', '/tickets.json', { subject: 'Not theirs' });
    const ids = [String(ticket.id), String(foreign.id)];
    const linked: Step = ['a link', 'agent', 'POST', '/links', { type: 'parent', ticket_id: foreign.id }];

    const perform = async ([what, actor, method, path, body]: Step) => {
      const { status, text } = await who[actor](method, `/ticket/${ticket.id}${path}.json`, body);
      expect(status, `${what}: ${text}`).toBeLessThan(300);
    };
    let seen = await lookAround(customer, ids);
    for (const [i, step] of openly.entries()) {
      const staffSaw = await agent('GET', `/ticket/${ticket.id}.json`);
      for (const hidden of [linked, ...internally]) {
        await perform(i % 2 === 1 ? toUndone(hidden) : hidden);
        expect(await lookAround(customer, ids), hidden[0]).toEqual(seen);
      }
      for (const passing of takenBack) await perform(passing);
      const restored = await lookAround(customer, ids);
      // A deleted and restored ticket appears again in the feed.
      seen = { ...seen, ...ofFeed(restored) };
      expect(restored).toEqual(seen);
      expect((await agent('GET', `/ticket/${ticket.id}.json`)).text).not.toBe(staffSaw.text);
      await perform(step);
      const then = await lookAround(customer, ids);
      expect(then, step[0]).not.toEqual(seen);
      seen = then;
    }
    expect(JSON.stringify(Object.values(seen))).not.toMatch(
      /Again this customer|vip|hot|boss@|CRM-7|"floor"|internal"|Not theirs/,
    );
    await api.stop();
    await database.drop();
  });
}

function ofFeed(seen: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(seen).filter(([path]) => path.startsWith('/changes')));
}

/** Reverts a hidden change of fields, so that it changes something again the next time. */
function toUndone(step: Step): Step {
  const [what, who, method, path, body] = step;
  if (method === 'POST') return step;
  const empty = { tags: [], followers: [], custom_fields: { floor: null }, external_id: null };
  const [name = ''] = Object.keys(body as object);
  return [`no ${what}`, who, method, path, { [name]: empty[name as keyof typeof empty] }];
}

describe('on SQLite', () => bothViews(createSqliteDatabase));
describeWith('mongodb', 'on MongoDB', (url) => bothViews(() => createMongoDatabase(url)));
