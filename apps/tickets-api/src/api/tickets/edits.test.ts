import { useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { startApi } from '../../tests/api.fixture.ts';

const api = useStarted(startApi);

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

  test('names another person by their address, whose id and name are not those of the one before', async () => {
    const ada = { email: 'ada@example.com', name: 'Ada' };
    const { id } = await api.addTicket({ assignee: ada, requester: ada });
    for (const role of ['assignee', 'requester']) {
      const toPatch = (person: unknown) =>
        api.request('PATCH', `/ticket/${id}.json`, JSON.stringify({ [role]: person }), patch);
      const before = (await api.request('GET', `/ticket/${id}.json`)).json[role];
      expect((await toPatch({ email: 'ADA@example.com' })).json[role]).toEqual(before);
      const { status, json } = await toPatch({ email: `${role}@example.com` });
      expect(status).toBe(200);
      expect(json[role]).toMatchObject({ email: `${role}@example.com`, name: null });
    }
  });

  test('refuses to remove what a ticket cannot be without', async () => {
    const { id } = await api.addTicket();
    const { status, json } = await api.request('PATCH', `/ticket/${id}.json`, '{"subject":null}', patch);
    expect(status).toBe(400);
    expect(json.errors).toMatchObject([{ field: 'subject', code: 'required' }]);
  });

  test.each([
    ['{"colour":"red"}', 'colour', 'unknown_field'],
    ['{"asignee":null}', 'asignee', 'unknown_field'],
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

describe('what programs write in a way of their own', () => {
  /** As clients do that parse ids and times: Swift writes ids in capitals, Python and .NET times with an offset. */
  const rewrite = (text: string) =>
    text
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => id.toUpperCase())
      .replace(/(\d{4}-[\d-]+T[\d:.]+)Z/g, '$1000+00:00');

  test.each(['PUT', 'PATCH'])('is the same ticket when it is sent back whole by %s', async (method) => {
    const other = await api.addTicket();
    const requester = { email: 'ada@example.com', name: 'Ada' };
    const { id } = await api.addTicket({ requester, due_at: '2026-01-31T09:00:00Z', status: 'solved' });
    await api.request('POST', `/ticket/${id}/links.json`, { type: 'related', ticket_id: other.id });
    const { text } = await api.request('GET', `/ticket/${id}.json`);
    const headers = { 'Content-Type': 'application/json' };
    const path = `/ticket/${id.toUpperCase()}.json`;
    const answer = await api.request(method, path, rewrite(text), headers);
    expect([answer.status, answer.headers.get('Keydesk-Changed'), answer.text]).toEqual([200, 'false', text]);
    const stale = rewrite(text).replace(/("updated_at":")\d{4}/, '$12020');
    expect((await api.request(method, path, stale, headers)).status).toBe(412);
  });

  test('names other tickets', async () => {
    const { id } = await api.addTicket({ status: 'closed' });
    const { json } = await api.request('POST', '/tickets.json', {
      subject: 'x',
      follow_up_of: id.toUpperCase(),
    });
    expect(json.follow_up_of).toBe(id);
    const { id: third } = await api.addTicket();
    const link = { type: 'related', ticket_id: String(json.id).toUpperCase() };
    const linked = await api.request('POST', `/ticket/${third.toUpperCase()}/links.json`, link);
    expect(linked.json.links).toEqual([{ type: 'related', ticket_id: json.id }]);
    const unlink = `/ticket/${third}/link/${link.ticket_id}.json`;
    expect((await api.request('DELETE', unlink)).json.links).toEqual([]);
  });
});

describe('validation', () => {
  test('names every fault at once', async () => {
    const { status, json } = await api.request('POST', '/tickets.json', {
      status: 'Odd!',
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

  test.each([
    ['0000-12-31T23:59:59Z', 400],
    ['0001-01-01T00:00:00+00:01', 400],
    ['9999-12-31T23:59:59-00:01', 400],
    ['0001-01-01T00:00:00Z', 201],
    ['9999-12-31T23:59:59.999Z', 201],
  ])('takes times of years that every format can write: %s', async (due_at, expected) => {
    // As XML, so that it is judged by the XML Schema.
    const { status, text } = await api.request('POST', '/tickets.xml', { subject: 's', due_at });
    expect([status, text.includes('<field>due_at</field>')]).toEqual([expected, expected === 400]);
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
