import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const xml = { 'Content-Type': 'application/xml' };

describe('the five operations of the specification, in JSON', () => {
  test('POST /tickets.json creates a ticket, answers 201 and says where it is', async () => {
    const { status, headers, json } = await api.request('POST', '/tickets.json', {
      subject: 'It burns',
      tags: ['fire'],
    });
    expect(status).toBe(201);
    expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(headers.get('Location')).toBe(`http://api.example/ticket/${json.id}.json`);
    expect(json).toMatchObject({
      subject: 'It burns',
      tags: ['fire'],
      status: 'new',
      priority: 'normal',
      version: 1,
    });
  });

  test('GET /ticket/{id}.json answers 200 and the ticket as it was created', async () => {
    const ticket = await api.addTicket({
      requester: { email: 'Ada@Example.com', name: 'Ada' },
      custom_fields: { floor: 3 },
    });
    const { status, json } = await api.request('GET', `/ticket/${ticket.id}.json`);
    expect(status).toBe(200);
    expect(json).toEqual(ticket);
    expect(json).toMatchObject({
      requester: { email: 'ada@example.com', name: 'Ada' },
      custom_fields: { floor: 3 },
    });
  });

  test('GET /tickets.json answers 200 and the collection, newest first', async () => {
    const older = await api.addTicket();
    const newer = await api.addTicket();
    const { status, json } = await api.request('GET', '/tickets.json?limit=2');
    expect(status).toBe(200);
    expect(json.tickets).toEqual([newer, older]);
  });

  test('PUT /ticket/{id}.json answers 200 and the updated ticket', async () => {
    const ticket = await api.addTicket({ tags: ['kept'] });
    const { status, json } = await api.request('PUT', `/ticket/${ticket.id}.json`, { status: 'open' });
    expect(status).toBe(200);
    expect(json).toEqual({ ...ticket, status: 'open', version: 2, updated_at: json.updated_at });
  });

  test('DELETE /ticket/{id}.json answers 200, and the ticket is gone', async () => {
    const ticket = await api.addTicket();
    const deleted = await api.request('DELETE', `/ticket/${ticket.id}.json`);
    expect(deleted.status).toBe(200);
    const { deleted_at, updated_at } = deleted.json;
    expect(deleted.json).toEqual({ ...ticket, version: 2, deleted_at, updated_at });
    expect(deleted_at).toEqual(expect.any(String));
    expect((await api.request('GET', `/ticket/${ticket.id}.json`)).status).toBe(404);
    expect((await api.request('DELETE', `/ticket/${ticket.id}.json`)).status).toBe(404);
  });
});

describe('the five operations of the specification, in XML', () => {
  test('a ticket created from XML is answered as XML', async () => {
    const body = '<ticket><subject>It burns</subject><tags><tag>a</tag><tag>b</tag></tags></ticket>';
    const { status, headers, text } = await api.request('POST', '/tickets.xml', body, xml);
    expect(status).toBe(201);
    expect(headers.get('Content-Type')).toBe('application/xml; charset=utf-8');
    expect(text).toContain('<subject>It burns</subject>');
    expect(text).toContain('<tags><tag>a</tag><tag>b</tag></tags>');
    expect(text).toContain('<assignee nil="true"/>');
  });

  test('the suffix chooses the answer and the content type the request: each on its own', async () => {
    const fromXml = await api.request('POST', '/tickets.json', '<ticket><subject>x</subject></ticket>', xml);
    expect(fromXml.json).toMatchObject({ subject: 'x' });
    const fromJson = await api.request('POST', '/tickets.xml', { subject: 'y' });
    expect(fromJson.text).toContain('<subject>y</subject>');
  });

  test('what GET answers as XML can be sent back by PUT', async () => {
    const { id } = await api.addTicket({
      custom_fields: { floor: 3, vip: true, none: null, list: ['a', ''] },
      description: ' \r\n]]>&',
    });
    const got = await api.request('GET', `/ticket/${id}.xml`);
    const put = await api.request('PUT', `/ticket/${id}.xml`, got.text, xml);
    expect(put.status).toBe(200);
    expect(put.text).toBe(got.text);
    expect(put.headers.get('Keydesk-Changed')).toBe('false');
  });

  test('a collection is a plural element whose next_cursor continues it', async () => {
    await api.addTicket();
    const first = await api.request('GET', '/tickets.xml?limit=1');
    const cursor = /<tickets next_cursor="([^"]+)">/.exec(first.text)?.[1];
    const second = await api.request('GET', `/tickets.xml?limit=1&cursor=${cursor}`);
    expect(second.status).toBe(200);
    expect(second.text).not.toBe(first.text);
  });

  test('an error is answered as problem+xml', async () => {
    const { status, headers, text } = await api.request(
      'POST',
      '/tickets.xml',
      '<ticket><status>odd</status></ticket>',
      xml,
    );
    expect(status).toBe(400);
    expect(headers.get('Content-Type')).toMatch(/^application\/problem\+xml/);
    expect(text).toContain('<field>subject</field>');
    expect(text).toContain('<field>status</field>');
  });
});

describe('forms', () => {
  test('a ticket is created from a form', async () => {
    const form =
      'subject=It+burns&tags%5B%5D=a&tags%5B%5D=b&requester%5Bemail%5D=ada%40example.com&custom_fields%5Bfloor%5D=3';
    const { status, json } = await api.request('POST', '/tickets.json', form, {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      subject: 'It burns',
      tags: ['a', 'b'],
      requester: { email: 'ada@example.com' },
      custom_fields: { floor: '3' },
    });
  });
});

describe('the choice of a representation', () => {
  test('an unknown suffix is 404', async () => {
    const { status, json } = await api.request('GET', '/tickets.csv');
    expect(status).toBe(404);
    expect(json.code).toBe('not_found');
  });

  test.each([
    [undefined, /json/],
    ['*/*', /json/],
    ['application/xml', /xml/],
    ['text/html, application/xml;q=0.9, application/json;q=0.8', /xml/],
  ])('without a suffix, Accept: %s decides', async (accept, type) => {
    const { headers } = await api.request('GET', '/tickets', undefined, { Accept: accept });
    expect(headers.get('Content-Type')).toMatch(type);
    expect(headers.get('Vary')).toMatch(/Accept/);
  });

  test('an Accept header that allows neither format is 406, unless there is a suffix', async () => {
    expect((await api.request('GET', '/tickets', undefined, { Accept: 'text/csv' })).status).toBe(406);
    expect((await api.request('GET', '/tickets.json', undefined, { Accept: 'text/csv' })).status).toBe(200);
  });
});

describe('PATCH, a JSON merge patch (RFC 7396)', () => {
  const patch = { 'Content-Type': 'application/merge-patch+json' };

  test('changes what is given, merges maps and restores the default of what is null', async () => {
    const { id } = await api.addTicket({
      custom_fields: { floor: 3, room: 'b' },
      tags: ['x'],
      description: 'long',
    });
    const body = JSON.stringify({
      priority: 'high',
      description: null,
      custom_fields: { floor: null, desk: 7 },
      tags: ['y'],
    });
    const { status, json } = await api.request('PATCH', `/ticket/${id}.json`, body, patch);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      priority: 'high',
      description: '',
      custom_fields: { room: 'b', desk: 7 },
      tags: ['y'],
      version: 2,
    });
  });

  test('refuses to remove what a ticket cannot be without', async () => {
    const { id } = await api.addTicket();
    const { status, json } = await api.request('PATCH', `/ticket/${id}.json`, '{"subject":null}', patch);
    expect(status).toBe(400);
    expect(json.errors).toMatchObject([{ field: 'subject', code: 'required' }]);
  });

  test.each([
    ['{"colour":"red"}', 'colour', 'unknown_field'],
    ['{"id":"x"}', 'id', 'read_only'],
  ])('refuses %s', async (body, field, code) => {
    const { id } = await api.addTicket();
    const { status, json } = await api.request('PATCH', `/ticket/${id}.json`, body, patch);
    expect(status).toBe(400);
    expect(json.errors).toMatchObject([{ field, code }]);
  });
});

describe('edits', () => {
  test('a PUT that changes nothing says so and makes no new version', async () => {
    const ticket = await api.addTicket();
    const { status, headers, json } = await api.request('PUT', `/ticket/${ticket.id}.json`, ticket);
    expect(status).toBe(200);
    expect(json).toEqual(ticket);
    expect(headers.get('Keydesk-Changed')).toBe('false');
  });

  test('a PUT of an outdated copy is refused with the current ticket, for its version is a precondition', async () => {
    const outdated = await api.addTicket();
    await api.request('PUT', `/ticket/${outdated.id}.json`, { priority: 'high' });
    const { status, json } = await api.request('PUT', `/ticket/${outdated.id}.json`, {
      ...outdated,
      subject: 'Mine',
    });
    expect(status).toBe(412);
    expect(json.current).toMatchObject({ priority: 'high', version: 2, subject: outdated.subject });
  });

  test('read-only fields cannot be changed', async () => {
    const { id } = await api.addTicket();
    const { status, json } = await api.request('PUT', `/ticket/${id}.json`, {
      created_at: '2020-01-01T00:00:00.000Z',
    });
    expect(status).toBe(400);
    expect(json.errors).toMatchObject([{ field: 'created_at', code: 'read_only' }]);
  });

  test('twenty clients that change different fields at once all succeed, and no change is lost', async () => {
    const { id } = await api.addTicket();
    const changes = Array.from({ length: 20 }, (_, i) =>
      JSON.stringify({ custom_fields: { [`field_${i}`]: i } }),
    );
    const answers = await Promise.all(
      changes.map((body) =>
        api.request('PATCH', `/ticket/${id}.json`, body, { 'Content-Type': 'application/merge-patch+json' }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const { json } = await api.request('GET', `/ticket/${id}.json`);
    expect(Object.keys(json.custom_fields as object)).toHaveLength(20);
    expect(json.version).toBe(21);
  });
});

describe('validation', () => {
  test('names every fault at once', async () => {
    const { status, json } = await api.request('POST', '/tickets.json', {
      status: 'odd',
      tags: ['fine', 'two words'],
      requester: { email: 'nobody' },
      colour: 'red',
      due_at: 'tomorrow',
    });
    expect(status).toBe(400);
    expect(json.code).toBe('validation_failed');
    const fields = (json.errors as { field: string }[]).map(({ field }) => field).sort();
    expect(fields).toEqual(['colour', 'due_at', 'requester.email', 'status', 'subject', 'tags[1]']);
  });

  test('says which values are allowed', async () => {
    const { json } = await api.request('POST', '/tickets.json', { subject: 's', priority: 'odd' });
    expect(JSON.stringify(json.errors)).toContain('low, normal, high, urgent');
  });

  test.each([
    ['at the longest', `${'a'.repeat(64)}@${'b'.repeat(63)}.example`, 201],
    ['longer before the @', `${'a'.repeat(65)}@mail.example`, 400],
    ['longer between dots', `ada@${'b'.repeat(64)}.example`, 400],
  ])('an address is one that mail servers take (RFC 5321 §4.5.3.1): %s', async (_, email, created) => {
    const { status } = await api.request('POST', '/tickets.json', { subject: 's', requester: { email } });
    expect(status).toBe(created);
  });

  test.each(['not-a-uuid', '00000000-0000-7000-8000-000000000000', '%00', '..', 'a'.repeat(5000)])(
    'an id that is none is 404: %s',
    async (id) => {
      expect((await api.request('GET', `/ticket/${id}.json`)).status).toBe(404);
    },
  );

  test('an object where a scalar is due never reaches the database as an operator', async () => {
    const answers = await Promise.all([
      api.request('POST', '/tickets.json', { subject: { $ne: 1 } }),
      api.request('GET', '/tickets.json?status[$ne]=open'),
      api.request('GET', '/tickets.json?$where=1'),
      api.request('POST', '/tickets.json', 'subject%5B%24gt%5D=', {
        'Content-Type': 'application/x-www-form-urlencoded',
      }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  });
});

describe('methods', () => {
  test('HEAD answers like GET, without a body', async () => {
    const { id } = await api.addTicket();
    const got = await api.request('GET', `/ticket/${id}.json`);
    const head = await api.request('HEAD', `/ticket/${id}.json`);
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    for (const name of ['ETag', 'Content-Type', 'Content-Length'])
      expect(head.headers.get(name)).toBe(got.headers.get(name));
  });

  test('OPTIONS names the methods of a path and asks for no token (RFC 9110 §9.3.7)', async () => {
    const { status, headers } = await api.request('OPTIONS', '/tickets.json', undefined, {
      Authorization: undefined,
    });
    expect(status).toBe(204);
    expect(headers.get('Allow')).toBe('GET, HEAD, OPTIONS, POST');
  });

  test('another method is 405 with the methods that there are (RFC 9110 §15.5.6)', async () => {
    const { status, headers, json } = await api.request('POST', '/ticket/x.json', {});
    expect(status).toBe(405);
    expect(json.code).toBe('method_not_allowed');
    expect(headers.get('Allow')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH, PUT');
  });

  test('a browser app of any origin may call the API', async () => {
    const preflight = await api.request('OPTIONS', '/tickets.json', undefined, {
      Authorization: undefined,
      Origin: 'https://app.example',
      'Access-Control-Request-Method': 'POST',
    });
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toMatch(/Authorization/);
    expect(preflight.headers.get('Access-Control-Allow-Methods')).toMatch(/POST/);
  });
});
