import { useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { startApi } from '../../tests/api.fixture.ts';

const api = useStarted(startApi);

const xml = { 'Content-Type': 'application/xml' };

describe('the five operations of the specification, in JSON', () => {
  test('POST /tickets.json creates a ticket and answers 201 with its Location', async () => {
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

  test('GET /ticket/{id}.json answers 200 with the created ticket', async () => {
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

  test('GET /tickets.json answers 200 with the collection, newest first', async () => {
    const older = await api.addTicket();
    const newer = await api.addTicket();
    const { status, json } = await api.request('GET', '/tickets.json?limit=2');
    expect(status).toBe(200);
    expect(json.tickets).toEqual([newer, older]);
  });

  test('PUT /ticket/{id}.json answers 200 with the updated ticket', async () => {
    const ticket = await api.addTicket({ tags: ['kept'] });
    const { status, json, headers } = await api.request('PUT', `/ticket/${ticket.id}.json`, {
      status: 'open',
    });
    expect(status).toBe(200);
    const { updated_at } = json;
    const moved = { status: 'open', status_category: 'open', version: 2, updated_at };
    expect(json).toEqual({ ...ticket, ...moved, etag: headers.get('ETag') });
  });

  test('DELETE /ticket/{id}.json answers 200 and deletes the ticket', async () => {
    const ticket = await api.addTicket();
    const deleted = await api.request('DELETE', `/ticket/${ticket.id}.json`);
    expect(deleted.status).toBe(200);
    const { deleted_at, updated_at, etag } = deleted.json;
    expect(deleted.json).toEqual({ ...ticket, version: 2, deleted_at, updated_at, etag });
    expect(etag).not.toBe(ticket.etag);
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

  test('the suffix selects the format of the response, and Content-Type that of the request', async () => {
    const fromXml = await api.request('POST', '/tickets.json', '<ticket><subject>x</subject></ticket>', xml);
    expect(fromXml.json).toMatchObject({ subject: 'x' });
    const fromJson = await api.request('POST', '/tickets.xml', { subject: 'y' });
    expect(fromJson.text).toContain('<subject>y</subject>');
  });

  test('PUT accepts the XML that GET returns', async () => {
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

  test('a collection is a plural element with a next_cursor for the next page', async () => {
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
      '<ticket><status>Odd!</status></ticket>',
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
  ])('without a suffix, Accept: %s selects the format', async (accept, type) => {
    const { headers } = await api.request('GET', '/tickets', undefined, { Accept: accept });
    expect(headers.get('Content-Type')).toMatch(type);
    expect(headers.get('Vary')).toMatch(/Accept/);
  });

  test('an Accept header that allows neither format is 406, unless there is a suffix', async () => {
    expect((await api.request('GET', '/tickets', undefined, { Accept: 'text/csv' })).status).toBe(406);
    expect((await api.request('GET', '/tickets.json', undefined, { Accept: 'text/csv' })).status).toBe(200);
  });
});
