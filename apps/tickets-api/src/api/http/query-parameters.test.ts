import { useStarted } from '@keydesk/testing';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { startApi } from '../../tests/api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';
import { createParameterReader } from './query-parameters.ts';

const api = useStarted(startApi);
let admin: Send;
beforeAll(async () => {
  admin = signIn(api, 'admin', 'root@example.com');
});

describe('query parameters', () => {
  test.each([
    ['POST', '/tickets'],
    ['PUT', '/ticket/ID'],
    ['PATCH', '/ticket/ID'],
    ['DELETE', '/ticket/ID'],
    ['POST', '/ticket/ID/restore'],
    ['POST', '/ticket/ID/tags'],
    ['DELETE', '/ticket/ID/tags'],
    ['POST', '/ticket/ID/links'],
    ['DELETE', '/ticket/ID/link/ID'],
    ['POST', '/ticket/ID/replies'],
    ['GET', '/ticket/ID/reply/ID'],
    ['PUT', '/ticket/ID/reply/ID'],
    ['PATCH', '/ticket/ID/reply/ID'],
    ['DELETE', '/ticket/ID/reply/ID'],
    ['GET', '/person/ID'],
    ['GET', '/me'],
    ['GET', '/ticket_statuses'],
    ['GET', '/ticket_fields'],
    ['POST', '/ticket_fields'],
    ['GET', '/ticket_field/ID'],
    ['PUT', '/ticket_field/ID'],
    ['PATCH', '/ticket_field/ID'],
    ['DELETE', '/ticket_field/ID'],
  ])('rejects unknown parameters of %s %s and changes nothing', async (method, path) => {
    const { id, version } = await api.addTicket();
    const target = `${path.replaceAll('ID', id)}.json?dry_run=true`;
    const { status, json } = await admin(
      method,
      target,
      method === 'GET' || method === 'DELETE' ? undefined : {},
    );
    expect([status, json.code]).toEqual([400, 'validation_failed']);
    const message = expect.stringMatching(/^is not a known parameter; known: ./);
    expect(json.errors).toContainEqual({ field: 'dry_run', code: 'unknown_parameter', message });
    expect((await admin('GET', `/ticket/${id}.json`)).json.version).toBe(version);
  });

  test.each([
    ['/tickets', 'statsu', 'did you mean status or status[not]? Otherwise see /docs#listTickets'],
    ['/tickets', 'createdAt[gte]', /^is not a known parameter; did you mean created_at, created_at\[gte\], /],
    ['/tickets', 'created_at[after]', /did you mean created_at, created_at\[gte\], .* or created_at\[lt\]\?/],
    ['/tickets', 'due_at_gte', /did you mean due_at, due_at\[gte\], /],
    ['/tickets', 'tags', 'did you mean tag, tag[all], tag[not] or tag[empty]?'],
    ['/tickets', 'closed', 'did you mean closed_at, closed_at[gte]'],
    ['/tickets', 'custom_fields.floor[some]', 'did you mean custom_fields.NAME, custom_fields.NAME['],
    ['/tickets', 'perPage', 'did you mean limit?'],
    ['/people', 'order_by', 'did you mean sort? Otherwise see /docs#listPeople'],
    ['/people', 'page', 'did you mean cursor? Otherwise see /docs#listPeople'],
    ['/tickets', 'constructor', 'is not a known parameter; see /docs#listTickets'],
    ['/tickets', 'subject', 'is not offered for tickets; send q'],
    ['/tickets', 'x', 'is not a known parameter; see /docs#listTickets'],
    ['/tickets', 'created_at'.repeat(50), 'see /docs#listTickets'],
    ['/ticket_counts', 'asignee', 'did you mean assignee, assignee[not] or assignee[empty]?'],
    ['/ticket_counts', 'total', 'is not offered for ticket_counts; see /docs#countTickets'],
    ['/events', 'actor_id', 'did you mean actor? Otherwise see /docs#listAllEvents'],
    ['/ticket/ID/replies', 'q', 'known: limit, cursor, sort, '],
    ['/ticket/ID', 'feilds', 'is not a known parameter; did you mean fields?'],
    ['/ticket/ID', 'sort', 'is not a known parameter; known: fields, include, deleted'],
  ])('for %s, %s is rejected with the nearest known names', async (path, name, text) => {
    const { id } = await api.addTicket();
    const target = `${path.replace('ID', id)}.json?${encodeURIComponent(name)}=x`;
    const { status, json } = await admin('GET', target);
    const message = typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text);
    expect([status, json.errors]).toEqual([400, [{ field: name, code: 'unknown_parameter', message }]]);
  });

  test('rejects more filters by custom fields than one request may have', async () => {
    const query = Array.from({ length: 11 }, (_, i) => `custom_fields.f${i}=x`).join('&');
    const { status, json } = await admin('GET', `/tickets.json?${query}`);
    expect([status, json.errors]).toMatchObject([
      400,
      [{ field: 'custom_fields.f10', code: 'invalid_value', message: expect.stringContaining('at most 10') }],
    ]);
  });

  test('error texts link to anchors that /docs has', async () => {
    const page = (await admin('GET', '/docs', undefined, { Accept: 'text/html' })).text;
    for (const path of ['/tickets', '/ticket_counts', '/changes', '/events', '/people', '/tags']) {
      const { json } = await admin('GET', `${path}.json?colour=red&total=maybe&sort=colour`);
      for (const [, id] of JSON.stringify(json.errors).matchAll(/\/docs#(\w+)/g)) {
        expect(page).toContain(`<article id="${id}">`);
      }
    }
  });

  test('accepts a repeated list parameter as one list', async () => {
    const list = async (query: string) => {
      const { status, json } = await admin('GET', `/tickets.json?limit=100&${query}`);
      expect(status, query).toBe(200);
      return json.tickets as { id: string }[];
    };
    const [one, other] = [await api.addTicket(), await api.addTicket()];
    await api.addTicket();
    expect(await list(`id=${one.id}&id=${other.id}`)).toEqual(await list(`id=${one.id},${other.id}`));
    expect(await list(`id=${one.id}&id=${other.id}`)).toHaveLength(2);
    const [selected] = await list(`id=${one.id}&fields=subject&fields=status,version`);
    expect(Object.keys(selected ?? {})).toEqual(['id', 'subject', 'status', 'version']);
    const ids = Array.from({ length: 21 }, () => `id=${crypto.randomUUID()}`).join('&');
    const { status, json } = await admin('GET', `/tickets.json?${ids}`);
    expect([status, JSON.stringify(json.errors)]).toEqual([
      400,
      expect.stringContaining('more than 20 values'),
    ]);
  });

  test('reports every invalid parameter at once, custom fields included', async () => {
    const query = [
      'status=Odd!',
      'limit=0',
      'total=true',
      'total=true',
      'odd=1',
      'custom_fields.floor[empty]=maybe',
      'custom_fields.colour=',
      'custom_fields.size[gte]=',
      'custom_fields.size[gte]=1',
      'custom_fields.size[some]=1',
      'custom_fields.name=%C3',
    ];
    const { status, json } = await api.request('GET', `/tickets.json?${query.join('&')}`);
    const found = (json.errors as { field: string; code: string }[]).map(
      ({ field, code }) => `${field} ${code}`,
    );
    expect([status, found.toSorted()]).toEqual([
      400,
      [
        'custom_fields.colour invalid_value',
        'custom_fields.floor[empty] invalid_value',
        'custom_fields.name invalid_value',
        'custom_fields.size[gte] repeated_parameter',
        'custom_fields.size[some] unknown_parameter',
        'limit invalid_value',
        'odd unknown_parameter',
        'status invalid_value',
        'total repeated_parameter',
      ],
    ]);
  });

  test.each([
    ['unknown', Array.from({ length: 2_000 }, (_, i) => `p${i}=`).join('&')],
    ['faulty', `fields=${Array.from({ length: 2_000 }, (_, i) => `f${i}`).join()}`],
  ])('limits the length of the response, however many are %s', async (_, query) => {
    const { status, json, text } = await api.request('GET', `/tickets.json?${query}`);
    expect(status).toBe(400);
    expect(json.errors).toHaveLength(20);
    expect(json.detail).toMatch(/1980 more are not shown/);
    expect(text.length).toBeLessThan(100_000);
  });

  test.each([
    ['DELETE', '/ticket/ID/tags', 'tag', 'required', 'is required'],
    ['DELETE', '/ticket/ID/tags?tag=', 'tag', 'invalid_value', 'must not be empty'],
    ['GET', `/tickets?tag=${'x'.repeat(65)}`, 'tag', 'invalid_value', 'must have at most 64 characters'],
    [
      'GET',
      `/tickets?cursor=${'x'.repeat(501)}`,
      'cursor',
      'invalid_value',
      'must have at most 500 characters',
    ],
    ['GET', '/tickets?tag=caf%E9', 'tag', 'invalid_value', 'must be percent-encoded UTF-8'],
    ['GET', '/people?q=%C3', 'q', 'invalid_value', 'must be percent-encoded UTF-8'],
    ['GET', '/changes?since=', 'since', 'invalid_value', 'must not be empty'],
  ])('describes an invalid value: %s %s', async (method, path, field, code, message) => {
    const { id } = await api.addTicket();
    const [target = '', query = ''] = path.replace('ID', id).split('?');
    const { status, json } = await admin(method, `${target}.json?${query}`);
    expect(status).toBe(400);
    expect(json.errors).toContainEqual({ field, code, message });
  });

  test('accepts every Unicode character, U+FFFD included', async () => {
    const tags = ['café', '\uFFFD', '🖨'];
    const { id } = await api.addTicket({ tags });
    for (const tag of tags) {
      const { json } = await api.request('GET', `/tickets.json?tag=${encodeURIComponent(tag)}`);
      expect(json.tickets).toMatchObject([{ id }]);
    }
  });
});

describe('the reader of parameters', () => {
  const split = vi.fn((text: string) => text.split(','));
  const words = z.string().max(400).transform(split);
  const valuesOf = (name: string) => z.string().transform((text) => `${name}:${text}`);

  test('parses a valid value once, and freezes the result', () => {
    const read = createParameterReader(z.object({ words, other: words.optional() }));
    const first = read('words=a,b');
    expect(read('words=a,b')).toEqual(first);
    expect(split).toHaveBeenCalledTimes(1);
    expect(read('words=a,c&other=a,b')).toEqual({ words: ['a', 'c'], other: ['a', 'b'] });
    expect(() => first.words.push('c')).toThrow(TypeError);
  });

  test('rejects an invalid value each time', () => {
    const read = createParameterReader(z.object({ words: z.string().max(3) }));
    for (const _ of [1, 2]) expect(() => read('words=long')).toThrow(/invalid/);
  });

  test('parses a value again when the definition of its parameter has changed', () => {
    let current = valuesOf('old');
    const open = { forms: ['custom_fields.NAME'], max: 1, find: () => current };
    const read = createParameterReader(z.object({}), { open });
    const query = 'custom_fields.floor=1';
    expect(read(query)).toEqual({ 'custom_fields.floor': 'old:1' });
    current = valuesOf('new');
    expect(read(query)).toEqual({ 'custom_fields.floor': 'new:1' });
  });

  test('does not keep long values', () => {
    split.mockClear();
    const read = createParameterReader(z.object({ words }));
    for (const _ of [1, 2]) read(`words=${'a'.repeat(300)}`);
    expect(split).toHaveBeenCalledTimes(2);
  });
});
