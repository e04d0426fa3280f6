import { randomUUID } from 'node:crypto';
import { useStarted } from '@keydesk/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { definitionKinds } from '../helpdesk/definitions/definition.ts';
import { newDefinition } from '../helpdesk/definitions/new-definition.fixture.ts';
import { newField } from '../helpdesk/fields/new-field.fixture.ts';
import { startApi, type TestApi } from '../tests/api.fixture.ts';
import { type AssertMatchesContract, createContractCheck } from './check/contract-check.fixture.ts';
import { toWireText } from './check/wire-text.fixture.ts';
import { type DescribedOperation, describeOperations } from './docs/described-operations.ts';
import { createDocument } from './openapi/create-document.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import { operations } from './operations.ts';

const all = describeOperations(
  createDocument(operations, { baseUrl: 'http://any', issuer: 'http://any', rateLimitStatus: 421 }),
);
const listed = all.filter(({ isStream }) => !isStream);

// All operations in quick succession exceed the default rate limit.
const api = useStarted(() => startApi({ env: { RATE_LIMIT_WRITES_PER_MINUTE: '10000' } }));
let assertMatchesContract: AssertMatchesContract;
beforeAll(async () => {
  const { json } = await api.request('GET', '/openapi-full.json');
  assertMatchesContract = createContractCheck(json as unknown as OpenApiDocument);
});

/** Fills in a path template with the ids of new resources, created as the caller. */
async function fill(path: string, format: string): Promise<string> {
  const requester = { email: 'ada@example.com' };
  const { json: ticket } = await api.request('POST', '/tickets.json', { subject: 'x', requester }, asAgent());
  const replies = `/ticket/${ticket.id}/replies.json`;
  const { json: reply } = await api.request('POST', replies, { body: 'x' }, asAgent());
  await defineFor(path);
  const filled = path
    .replace('{ticket_id}', String(ticket.id))
    .replace('{reply_id}', String(reply.id))
    .replace('{field_id}', path.startsWith('/ticket_field') ? await defineField() : '')
    .replace(/\{(status|type|priority)_id\}/, 'in_review')
    .replace('{role_id}', 'customer')
    .replace('{other_id}', path.includes('{other_id}') ? await linkTo(String(ticket.id)) : '')
    .replace('{external_id}', path.includes('{external_id}') ? await addImported() : '')
    .replace('{person_id}', (ticket.requester as { id: string }).id)
    .replace('{format}', format);
  if (filled.includes('{')) throw new Error(`Function fill replaces no such parameter: ${filled}`);
  return filled;
}

/** Creates a ticket with a unique external id and returns that id. */
async function addImported(): Promise<string> {
  const external_id = randomUUID();
  await api.request('PUT', `/tickets/external/${external_id}.json`, { subject: 'x' }, asAgent());
  return external_id;
}

/** Leaves a single custom status, type or priority: the one in the path. */
async function defineFor(path: string): Promise<void> {
  const [, kind] = /^\/ticket_(status|type|priorit)/.exec(path) ?? [];
  if (!kind) return;
  const { definitions } = api.storage;
  for (const each of await definitions.list()) await definitions.remove(each, each.version);
  const member = definitionKinds.find((each) => path.includes(`{${each}_id}`));
  if (member) await definitions.add(newDefinition({ kind: member, id: 'in_review' }));
}

/** Links a new ticket to this one and returns its id. */
async function linkTo(ticketId: string): Promise<string> {
  const { id } = await api.addTicket();
  const link = { type: 'related', ticket_id: ticketId };
  await api.request('POST', `/ticket/${id}/links.json`, link, asAgent());
  return id;
}

/** Replaces all custom fields by one and returns its id. */
async function defineField(): Promise<string> {
  const { fields } = api.storage;
  for (const { id, version } of await fields.list()) await fields.remove(id, version);
  const field = newField({ type: 'select', options: ['North'] });
  await fields.add(field);
  return field.id;
}

/** Removes all custom fields through the API, which updates its cache at once, so that no field is required in other tests. */
async function removeFields(): Promise<void> {
  for (const { id } of await api.storage.fields.list()) {
    await api.request('DELETE', `/ticket_field/${id}.json`, undefined, asAgent());
  }
}

/** Returns the token of a person, who may edit their own replies. */
function asAgent(): Record<string, string> {
  const scope = 'tickets:read tickets:write tickets:delete';
  const claims = { role: 'admin', scope, sub: 'grace', email: 'grace@example.com', email_verified: true };
  return { Authorization: `Bearer ${api.issuer.token(claims)}` };
}

/** Replaces the id of a ticket or person in an example by that of an existing one. */
async function withStoredIds(text: string): Promise<string> {
  const [, name, id] = /(ticket|person)_id\W+([0-9a-f]{8}-[0-9a-f-]{27})/.exec(text) ?? [];
  if (!id) return text;
  const requester = { email: `${randomUUID()}@example.com` };
  const ticket = await api.addTicket({ requester });
  return text.replace(id, name === 'ticket' ? ticket.id : (ticket.requester as { id: string }).id);
}

/** Sends a documented example request for an existing ticket and checks the response. */
async function call(
  { path, responses }: DescribedOperation,
  method: string,
  format: string,
  body?: { type: string; text: string },
): Promise<void> {
  const query = method === 'DELETE' && path.includes('/tags') ? '?tag=printer' : '';
  const target = (await fill(path, format)) + query;
  const headers = { ...asAgent(), ...(body && { 'Content-Type': body.type }) };
  const text = body && (await withStoredIds(body.text));
  const answer = await api.request(method, target, text, headers);
  assertMatchesContract(method, target, answer);
  expect(String(answer.status), answer.text).toBe(method === 'OPTIONS' ? '204' : responses[0]?.status);
}

describe.each(['json', 'xml'])('every operation of /openapi-full.json in %s', (format) => {
  test.each(listed.map((operation) => [operation.id, operation] as const))(
    '%s answers its example requests as documented',
    async (_, operation) => {
      const { method, requestBody } = operation;
      const bodies = Object.entries(requestBody?.content ?? {});
      if (bodies.length === 0) await call(operation, method, format);
      for (const [type, media] of bodies) {
        await call(operation, method, format, { type, text: toWireText(type, media) });
      }
    },
  );

  test('every GET supports If-None-Match and rejects unknown parameters', async () => {
    for (const { path } of listed.filter(({ hasHead }) => hasHead)) {
      const target = await fill(path, format);
      const get = (query: string, etag = '') =>
        api.request('GET', target + query, undefined, { ...asAgent(), 'If-None-Match': etag });
      const { headers } = await get('');
      const again = await get('', headers.get('ETag') ?? '');
      expect([again.status, again.text], path).toEqual([304, '']);
      const rejected = await get('?colour=red');
      expect(rejected.status, path).toBe(400);
      expect(rejected.text).toMatch(/colour.*known/);
    }
  });

  test('every change rejects unknown parameters', async () => {
    for (const { id, method, path, requestBody } of listed.filter((each) => each.method !== 'GET')) {
      const query = id === 'removeTicketTags' ? '?tag=printer&colour=red' : '?colour=red';
      const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
      const body = type && media && (await withStoredIds(toWireText(type, media)));
      const headers = { ...asAgent(), 'Content-Type': type };
      const { status, text } = await api.request(method, (await fill(path, format)) + query, body, headers);
      expect(status, id).toBe(400);
      expect(text, id).toContain('colour');
    }
    await removeFields();
  });

  test('every change is executed once per Idempotency-Key or rejects the key', async () => {
    const repeatable = new Set(operations.filter(({ isRepeatable }) => isRepeatable).map(({ id }) => id));
    for (const { id, method, path, requestBody } of listed.filter((each) => each.method !== 'GET')) {
      const target = (await fill(path, format)) + (id === 'removeTicketTags' ? '?tag=printer' : '');
      const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
      const body = type && media && (await withStoredIds(toWireText(type, media)));
      const headers = { ...asAgent(), 'Content-Type': type, 'Idempotency-Key': `${id}-${format}` };
      const [first, again] = [
        await api.request(method, target, body, headers),
        await api.request(method, target, body, headers),
      ];
      if (!repeatable.has(id)) {
        expect([first.status, first.text], id).toEqual([400, expect.stringContaining('Idempotency-Key')]);
        continue;
      }
      expect([again.status, again.text], id).toEqual([first.status, first.text]);
      expect(first.status, first.text).toBeLessThan(300);
      expect(first.headers.get('Idempotency-Replayed'), id).toBeNull();
      expect(again.headers.get('Idempotency-Replayed'), id).toBe('true');
    }
    await removeFields();
  });

  test('HEAD and OPTIONS answer as documented', async () => {
    for (const operation of listed) {
      if (operation.hasHead) await call(operation, 'HEAD', format);
      await call(operation, 'OPTIONS', format);
    }
  });

  test('failures are answered as documented', async () => {
    const { id } = await api.addTicket();
    const send = async (status: number, ...[method, path, body, headers]: Parameters<TestApi['request']>) => {
      const answer = await api.request(method, path, body, headers);
      expect(answer.status).toBe(status);
      assertMatchesContract(method, path, answer);
    };
    const withoutRole = { Authorization: `Bearer ${api.issuer.token()}` };
    const withoutScope = { Authorization: `Bearer ${api.issuer.token({ role: 'agent', scope: 'openid' })}` };
    await send(401, 'GET', `/tickets.${format}`, undefined, { Authorization: undefined });
    await send(403, 'GET', `/tickets.${format}`, undefined, withoutRole);
    await send(403, 'GET', `/tickets.${format}`, undefined, withoutScope);
    await send(404, 'GET', `/ticket/none.${format}`);
    await send(412, 'PUT', `/ticket/${id}.${format}`, { status: 'open' }, { 'If-Match': '"9"' });
    const reply = await fill('/ticket/{ticket_id}/reply/{reply_id}.{format}', format);
    await send(412, 'PUT', reply, { body: 'y' }, { ...asAgent(), 'If-Match': '"9"' });
    await send(403, 'PUT', reply, { body: 'y' });
    await send(400, 'PUT', reply, { visibility: 'internal' }, asAgent());
    await send(404, 'GET', reply.replace('/reply/', '/reply/0'));
    await send(200, 'PUT', `/ticket/${id}.${format}`, { status: 'solved' });
    await send(409, 'PUT', `/ticket/${id}.${format}`, { status: 'new' });
    await send(200, 'PUT', `/ticket/${id}.${format}`, { status: 'closed' });
    await send(409, 'POST', `/ticket/${id}/replies.${format}`, { body: 'y' });
    await send(403, 'DELETE', `/ticket/${id}.${format}?purge=true`);
    await send(400, 'POST', `/tickets.${format}`, { status: 'odd' });
    await send(400, 'POST', `/tickets.${format}`, '{', { 'Content-Type': 'application/json' });
    await send(415, 'POST', `/tickets.${format}`, 'x', { 'Content-Type': 'text/plain' });
    await send(400, 'GET', `/tickets.${format}?colour=red`);
    await send(405, 'PUT', `/tickets.${format}`, {});
    await send(431, 'GET', `/tickets.${format}?q=${'x'.repeat(20_000)}`);
    await send(431, 'POST', `/tickets.${format}?q=${'x'.repeat(20_000)}`, {});
  });
});

describe('every stream of /openapi-full.json', () => {
  const streams = all.filter(({ isStream }) => isStream);

  test.each(streams.map(({ id, path }) => [id, path] as const))(
    '%s starts as documented',
    async (_, path) => {
      const end = new AbortController();
      const headers = { ...asAgent(), Accept: 'text/event-stream' };
      const { status, headers: received } = await fetch(api.url + path, { headers, signal: end.signal });
      end.abort();
      expect(received.get('Content-Type')).toMatch(/^text\/event-stream/);
      assertMatchesContract('GET', path, { status, headers: received, text: '' });
      const rejected = await api.request('GET', `${path}?since=never`, undefined, headers);
      expect(rejected.status).toBe(400);
    },
  );
});
