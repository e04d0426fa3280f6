import { randomUUID } from 'node:crypto';
import { useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { startApi } from '../../tests/api.fixture.ts';
import { signIn } from '../people/people.fixture.ts';

const api = useStarted(startApi);

async function etagOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  return (await api.request('GET', path, undefined, headers)).headers.get('ETag') ?? '';
}

describe('entity tags (RFC 9110 §8.8.3)', () => {
  test('are strong, differ by format and do not depend on the token', async () => {
    const { id } = await api.addTicket();
    const other = api.issuer.token({ role: 'admin', client_id: 'other', sub: 'other' });
    const [json, xml, jsonForOther] = await Promise.all([
      etagOf(`/ticket/${id}.json`),
      etagOf(`/ticket/${id}.xml`),
      etagOf(`/ticket/${id}.json`, { Authorization: `Bearer ${other}` }),
    ]);
    expect(json).toMatch(/^"[^"]+"$/);
    expect(xml).toMatch(/^"[^"]+"$/);
    expect(xml).not.toBe(json);
    expect(jsonForOther).toBe(json);
  });

  test('change only when the ticket changes', async () => {
    const { id } = await api.addTicket();
    const before = await etagOf(`/ticket/${id}.json`);
    expect(await etagOf(`/ticket/${id}.json`)).toBe(before);
    const put = await api.request('PUT', `/ticket/${id}.json`, { status: 'open' });
    expect(put.headers.get('ETag')).not.toBe(before);
    expect(await etagOf(`/ticket/${id}.json`)).toBe(put.headers.get('ETag'));
  });
});

describe('If-None-Match (RFC 9110 §13.1.2)', () => {
  test.each(['%s', 'W/%s', '"other", %s', '*'])(
    '%s of the current version is 304 without a body',
    async (pattern) => {
      const { id } = await api.addTicket();
      const etag = await etagOf(`/ticket/${id}.json`);
      const { status, text, headers } = await api.request('GET', `/ticket/${id}.json`, undefined, {
        'If-None-Match': pattern.replace('%s', etag),
      });
      expect(status).toBe(304);
      expect(text).toBe('');
      expect(headers.get('ETag')).toBe(etag);
    },
  );

  test('the tag of another version or format is 200', async () => {
    const { id } = await api.addTicket();
    const xml = await etagOf(`/ticket/${id}.xml`);
    expect((await api.request('GET', `/ticket/${id}.json`, undefined, { 'If-None-Match': xml })).status).toBe(
      200,
    );
    expect(
      (await api.request('GET', `/ticket/${id}.json`, undefined, { 'If-None-Match': '"0-json"' })).status,
    ).toBe(200);
  });
});

describe('If-None-Match of a change (RFC 9110 §13.1.2)', () => {
  test.each(['PUT', 'PATCH', 'DELETE'])('that matches the ticket rejects %s with 412', async (method) => {
    const { id } = await api.addTicket();
    const path = `/ticket/${id}.json`;
    const body = method === 'DELETE' ? undefined : { priority: 'low' };
    const etag = await etagOf(path);
    for (const known of ['*', etag, `"other", W/${etag}`, await etagOf(path.replace('.json', '.xml'))]) {
      const { status, json } = await api.request(method, path, body, { 'If-None-Match': known });
      expect([status, json.code], known).toEqual([412, 'precondition_failed']);
    }
    expect(await etagOf(path)).toBe(etag);
    expect((await api.request(method, path, body, { 'If-None-Match': '"0-json"' })).status).toBe(200);
  });

  test('applies to the ticket when a reply is added', async () => {
    const { id } = await api.addTicket();
    const headers = { 'If-None-Match': await etagOf(`/ticket/${id}.json`) };
    const { status } = await api.request('POST', `/ticket/${id}/replies.json`, { body: 'x' }, headers);
    expect(status).toBe(412);
  });
});

describe('If-Match (RFC 9110 §13.1.1)', () => {
  test.each(['PUT', 'PATCH', 'DELETE'])(
    '%s of an outdated version is 412 with the current ticket, and changes nothing',
    async (method) => {
      const { id } = await api.addTicket();
      const outdated = await etagOf(`/ticket/${id}.json`);
      await api.request('PUT', `/ticket/${id}.json`, { status: 'open' });
      const { status, json } = await api.request(
        method,
        `/ticket/${id}.json`,
        method === 'DELETE' ? undefined : { status: 'solved' },
        { 'If-Match': outdated },
      );
      expect(status).toBe(412);
      expect(json).toMatchObject({
        code: 'precondition_failed',
        current: { id, status: 'open', version: 2 },
      });
      expect((await api.request('GET', `/ticket/${id}.json`)).json).toEqual(json.current);
    },
  );

  test('returns the current ticket in XML too', async () => {
    const { id } = await api.addTicket();
    const { status, text } = await api.request(
      'PUT',
      `/ticket/${id}.xml`,
      { status: 'open' },
      { 'If-Match': '"7-xml"' },
    );
    expect(status).toBe(412);
    expect(text).toContain(`<current><id>${id}</id>`);
  });

  test('accepts a current tag of either format, and *', async () => {
    const { id } = await api.addTicket();
    const xml = await etagOf(`/ticket/${id}.xml`);
    expect(
      (await api.request('PUT', `/ticket/${id}.json`, { status: 'open' }, { 'If-Match': xml })).status,
    ).toBe(200);
    expect(
      (await api.request('PUT', `/ticket/${id}.json`, { status: 'hold' }, { 'If-Match': '*' })).status,
    ).toBe(200);
  });

  test('accepts the quoted version of the view that the caller sees', async () => {
    const { id } = await api.addTicket({ requester: { email: 'ada@example.com' } });
    const path = `/ticket/${id}.json`;
    const [agent, ada] = [
      signIn(api, 'agent', 'grace@example.com'),
      signIn(api, 'customer', 'ada@example.com'),
    ];
    await agent('PATCH', path, { tags: ['hidden'] });
    for (const send of [agent, ada]) {
      const { version } = (await send('GET', path)).json;
      const change = (tag: string) => send('PATCH', path, { subject: randomUUID() }, { 'If-Match': tag });
      for (const other of [`"${Number(version) + 1}"`, `W/"${version}"`, `"${version}-json"`]) {
        expect((await change(other)).status, other).toBe(412);
      }
      expect((await change(`"${version}"`)).status).toBe(200);
      const known = { 'If-None-Match': `"${Number(version) + 1}"` };
      expect((await send('PATCH', path, { subject: 'x' }, known)).status).toBe(412);
    }
    const { json: reply } = await agent('POST', `/ticket/${id}/replies.json`, { body: 'x' });
    const ofReply = `/ticket/${id}/reply/${reply.id}.json`;
    expect((await agent('PUT', ofReply, { body: 'y' }, { 'If-Match': '"2"' })).status).toBe(412);
    expect((await agent('PUT', ofReply, { body: 'y' }, { 'If-Match': '"1"' })).status).toBe(200);
  });

  test('a weak tag never matches', async () => {
    const { id } = await api.addTicket();
    const etag = await etagOf(`/ticket/${id}.json`);
    expect(
      (await api.request('PUT', `/ticket/${id}.json`, { status: 'open' }, { 'If-Match': `W/${etag}` }))
        .status,
    ).toBe(412);
  });

  test.each(['1', '1-json', "'1-json'", '"1-json'])('a malformed tag is 400: %s', async (value) => {
    const { id } = await api.addTicket();
    for (const name of ['If-Match', 'If-None-Match']) {
      const { status, json } = await api.request(
        'PUT',
        `/ticket/${id}.json`,
        { status: 'open' },
        { [name]: value },
      );
      expect([status, json.code]).toEqual([400, 'invalid_request']);
      expect(json.detail).toContain(JSON.stringify(value));
    }
  });

  test('lets exactly one of twenty changes of one version succeed', async () => {
    const { id } = await api.addTicket();
    const etag = await etagOf(`/ticket/${id}.json`);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        api.request('PUT', `/ticket/${id}.json`, { subject: `by ${i}` }, { 'If-Match': etag }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)]);
  });
});
