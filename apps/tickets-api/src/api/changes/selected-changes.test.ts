import { describe, expect, test } from 'vitest';
import { adding } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import { newFeedEntry } from '../../helpdesk/feed/new-feed-entry.fixture.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';
import { newTicket } from '../tickets/new-ticket.fixture.ts';
import { readChanges } from './follower.fixture.ts';

const TICKETS = 120;

let api: TestApi;
let agent: Send;
let ticketIds: string[];
let replyIds: string[];

/** Creates many tickets, the last of them with two replies. */
async function prepare(started: TestApi): Promise<void> {
  api = started;
  agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
  const tickets = Array.from({ length: TICKETS }, () => newTicket());
  await api.storage.tickets.commit(
    tickets.map((ticket) => adding(ticket, { feedEntries: [newFeedEntry(ticket.id)] })),
  );
  const { id } = await api.addTicket({ subject: 'answered' });
  replyIds = [];
  for (const body of ['one', 'two']) {
    replyIds.push(String((await agent('POST', `/ticket/${id}/replies.json`, { body })).json.id));
  }
  ticketIds = [...tickets.map((ticket) => ticket.id), id];
}

/** Returns the ids of the changes on all pages, and the number of pages. */
async function readAll(query: string): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  let since = '';
  for (let pages = 1; ; pages++) {
    const page = await readChanges(agent, `?${query}${since}`);
    ids.push(...page.changes.map((item) => item.id));
    if (!page.has_more) return { ids, pages };
    since = `&since=${page.position}`;
  }
}

function selectedChanges(): void {
  test('return up to 1,000 at once', async () => {
    const { ids, pages } = await readAll('limit=1000');
    expect([new Set(ids), pages]).toEqual([new Set([...ticketIds, ...replyIds]), 1]);
    for (const limit of ['1001', '0', '']) {
      const { status, json } = await agent('GET', `/changes.json?limit=${limit}`);
      expect([status, json.errors]).toMatchObject([400, [{ field: 'limit' }]]);
    }
  });

  test('return only the requested resources, each once across pages', async () => {
    for (const limit of [1, 2, 7, 1000]) {
      expect(new Set((await readAll(`resource=reply&limit=${limit}`)).ids)).toEqual(new Set(replyIds));
      const { ids } = await readAll(`resource=ticket&limit=${limit === 1 ? 50 : limit}`);
      expect([ids.length, new Set(ids)]).toEqual([ticketIds.length, new Set(ticketIds)]);
    }
    expect((await readAll('resource=reply,ticket&limit=1000')).ids).toHaveLength(TICKETS + 3);
    expect((await readChanges(agent, '?resource=reply')).changes).toHaveLength(2);
  });

  test('of other resources do not end a wait for one resource', async () => {
    const { position } = await readChanges(agent, '?since=now');
    const waiting = readChanges(agent, `?since=${position}&resource=reply&wait=20`);
    const { id } = await api.addTicket();
    const { json } = await agent('POST', `/ticket/${id}/replies.json`, { body: 'three' });
    expect((await waiting).changes).toMatchObject([{ type: 'reply', id: json.id }]);
    replyIds.push(String(json.id));
    ticketIds.push(id);
  });

  test('have the selected fields and their identity, in JSON and XML', async () => {
    const query = 'since=&fields=changed_at,ticket.status,reply.body&limit=1000'.replace('since=&', '');
    const { changes } = await readChanges(agent, `?${query}`);
    const ticket = changes.find(({ id }) => id === ticketIds[0]);
    const { id, type, ticket_id, deleted, changed_at } = ticket ?? {};
    expect(ticket).toEqual({
      id,
      type,
      ticket_id,
      deleted,
      changed_at,
      ticket: { id, status: 'new' },
      reply: null,
    });
    const reply = changes.find((item) => item.id === replyIds[0]);
    expect(reply).toMatchObject({ ticket: null, reply: { id: replyIds[0], body: 'one' } });
    const { text } = await agent('GET', '/changes.xml?fields=ticket.status&resource=ticket&limit=1');
    expect(text).toMatch(
      /<change><type>ticket<\/type><id>([^<]*)<\/id><ticket_id>\1<\/ticket_id><deleted>false<\/deleted><ticket><id>\1<\/id><status>new<\/status><\/ticket><\/change>/,
    );
    const bare = await readChanges(agent, '?fields=type&limit=1');
    expect(Object.keys(bare.changes[0] ?? {}).sort()).toEqual(['deleted', 'id', 'ticket_id', 'type']);
  });

  test('have different entity tags for different fields', async () => {
    const tags = [];
    for (const fields of ['type', 'ticket.status', 'ticket']) {
      tags.push((await agent('GET', `/changes.json?limit=1&fields=${fields}`)).headers.get('ETag'));
    }
    expect(new Set(tags).size).toBe(3);
  });

  test.each([
    ['resource=user', 'resource', 'must be one of ticket, reply'],
    ['resource=', 'resource', 'must be one of ticket, reply'],
    ['fields=ticket.colour', 'fields', 'ticket.subject'],
    ['sort=created_at', 'sort', 'is not offered for changes; see /docs#listChanges'],
    ['cursor=x', 'cursor', 'is not offered for changes; send since'],
    ['resources=ticket', 'resources', 'did you mean resource?'],
    ['colour=red', 'colour', 'known: since, limit, wait, resource, fields'],
  ])('reject %s and describe the alternatives', async (query, field, text) => {
    const { status, json } = await agent('GET', `/changes.json?${query}`);
    expect([status, json.errors]).toMatchObject([400, [{ field, message: expect.stringContaining(text) }]]);
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, prepare);
  describe('changes', selectedChanges);
});
