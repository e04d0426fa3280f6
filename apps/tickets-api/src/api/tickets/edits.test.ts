import { useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { startApi } from '../../tests/api.fixture.ts';

const api = useStarted(startApi);

describe('PATCH, a JSON merge patch (RFC 7396)', () => {
  const patch = { 'Content-Type': 'application/merge-patch+json' };

  test('changes given fields, merges maps and resets null fields to their defaults', async () => {
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

  test('replaces a person by address, without the id and name of the previous person', async () => {
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

  test('rejects the removal of required fields', async () => {
    const { id } = await api.addTicket();
    const { status, json } = await api.request('PATCH', `/ticket/${id}.json`, '{"subject":null}', patch);
    expect(status).toBe(400);
    expect(json.errors).toMatchObject([{ field: 'subject', code: 'required' }]);
  });

  test.each([
    ['{"colour":"red"}', 'colour', 'unknown_field'],
    ['{"asignee":null}', 'asignee', 'unknown_field'],
    ['{"id":"x"}', 'id', 'read_only'],
  ])('rejects %s', async (body, field, code) => {
    const { id } = await api.addTicket();
    const { status, json } = await api.request('PATCH', `/ticket/${id}.json`, body, patch);
    expect(status).toBe(400);
    expect(json.errors).toMatchObject([{ field, code }]);
  });
});

describe('edits', () => {
  test('a PUT that changes nothing reports a no-op and creates no new version', async () => {
    const ticket = await api.addTicket();
    const { status, headers, json } = await api.request('PUT', `/ticket/${ticket.id}.json`, ticket);
    expect(status).toBe(200);
    expect(json).toEqual(ticket);
    expect(headers.get('Keydesk-Changed')).toBe('false');
  });

  test('a PUT of an outdated copy is rejected with the current ticket because its version is a precondition', async () => {
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

  test('twenty concurrent changes of different fields all succeed without a lost change', async () => {
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

describe('other spellings of the same values', () => {
  /** Rewrites ids and times as clients do that parse them: Swift capitalizes ids, Python and .NET write offsets. */
  const rewrite = (text: string) =>
    text
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => id.toUpperCase())
      .replace(/(\d{4}-[\d-]+T[\d:.]+)Z/g, '$1000+00:00');

  test.each(['PUT', 'PATCH'])('a whole ticket that %s sends back is unchanged', async (method) => {
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

  test('link to the same other tickets', async () => {
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
  test('reports all errors at once', async () => {
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
  ])('accepts only times in years that every format can represent: %s', async (due_at, expected) => {
    // As XML, so that the XML Schema validates it.
    const { status, text } = await api.request('POST', '/tickets.xml', { subject: 's', due_at });
    expect([status, text.includes('<field>due_at</field>')]).toEqual([expected, expected === 400]);
  });

  test('lists the allowed values', async () => {
    const { json } = await api.request('POST', '/tickets.json', { subject: 's', priority: 'odd' });
    expect(JSON.stringify(json.errors)).toContain('low, normal, high, urgent');
  });

  test.each([
    ['of maximum length', `${'a'.repeat(64)}@${'b'.repeat(63)}.example`, 201],
    ['too long before the @', `${'a'.repeat(65)}@mail.example`, 400],
    ['too long between dots', `ada@${'b'.repeat(64)}.example`, 400],
  ])('accepts only addresses that mail servers accept (RFC 5321 §4.5.3.1): %s', async (_, email, created) => {
    const { status } = await api.request('POST', '/tickets.json', { subject: 's', requester: { email } });
    expect(status).toBe(created);
  });

  test.each(['not-a-uuid', '00000000-0000-7000-8000-000000000000', '%00', '..', 'a'.repeat(5000)])(
    'a malformed id is 404: %s',
    async (id) => {
      expect((await api.request('GET', `/ticket/${id}.json`)).status).toBe(404);
    },
  );

  test('an object in place of a scalar never reaches the database as an operator', async () => {
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
