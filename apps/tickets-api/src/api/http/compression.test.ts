import { request as send } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { useStarted } from '@keydesk/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { startApi } from '../../tests/api.fixture.ts';

const api = useStarted(startApi);
let path: string;
let token: string;
beforeAll(async () => {
  token = api.issuer.token({ role: 'agent', scope: 'tickets:read tickets:write' });
  const { id } = await api.addTicket({ description: 'ünïcode & more '.repeat(200) });
  path = `/ticket/${id}.json`;
});

interface RawAnswer {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Sends a request and returns the encoded body, which `fetch` would decode. */
function get(target: string, headers: Record<string, string>, method = 'GET'): Promise<RawAnswer> {
  const all = { Authorization: `Bearer ${token}`, ...headers };
  return new Promise((resolve, reject) => {
    const outgoing = send(api.url + target, { method, headers: all }, async (answer) => {
      const body = Buffer.concat(await answer.toArray());
      resolve({ status: answer.statusCode, headers: answer.headers, body });
    });
    outgoing.on('error', reject).end();
  });
}

describe('compression (RFC 9110 §8.4, §12.5.3)', () => {
  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['br', 'br', brotliDecompressSync],
    ['gzip;q=0.5, br', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
  ])('Accept-Encoding: %s returns the same body, encoded as %s', async (accepted, coding, decode) => {
    const plain = await get(path, {});
    const { status, headers, body } = await get(path, { 'Accept-Encoding': accepted });
    expect(status).toBe(200);
    expect(headers['content-encoding']).toBe(coding);
    expect(headers['content-type']).toBe(plain.headers['content-type']);
    expect(headers['content-length']).toBe(String(body.length));
    expect(body.length).toBeLessThan(plain.body.length / 2);
    expect(decode(body)).toEqual(plain.body);
  });

  test.each(['identity', 'deflate', 'gzip;q=0', ''])(
    'Accept-Encoding: %j returns the body unencoded',
    async (accepted) => {
      const { headers, body } = await get(path, { 'Accept-Encoding': accepted });
      expect(headers['content-encoding']).toBeUndefined();
      expect(JSON.parse(body.toString())).toMatchObject({ version: 1 });
    },
  );

  test('leaves small bodies and error responses unencoded', async () => {
    const small = await get('/me.json', { 'Accept-Encoding': 'gzip' });
    expect([small.status, small.headers['content-encoding']]).toEqual([200, undefined]);
    const failure = await get('/ticket/none.json', { 'Accept-Encoding': 'gzip' });
    expect([failure.status, failure.headers['content-type']]).toEqual([404, 'application/problem+json']);
  });

  test('also applies to documents that need no token', async () => {
    const { headers, body } = await get('/openapi.json', { 'Accept-Encoding': 'gzip', Authorization: '' });
    expect(headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(body).toString())).toMatchObject({ openapi: '3.1.1' });
  });

  test.each(['identity', 'gzip', 'br'])(
    '%s: HEAD sends the same headers as GET (RFC 9110 §9.3.2)',
    async (coding) => {
      for (const target of [path, '/tickets.json', '/openapi.json']) {
        const [got, head] = await Promise.all(
          ['GET', 'HEAD'].map((method) => get(target, { 'Accept-Encoding': coding }, method)),
        );
        expect(head?.body).toHaveLength(0);
        for (const name of ['etag', 'content-encoding', 'content-length', 'content-type', 'vary']) {
          expect(head?.headers[name], `${name} of ${target}`).toBe(got?.headers[name]);
        }
      }
    },
  );

  test('sends Vary: Accept-Encoding, compressed or not', async () => {
    for (const target of [path, '/me.json', '/ticket/none.json']) {
      expect((await get(target, {})).headers.vary).toMatch(/\bAccept-Encoding\b/);
    }
  });
});

describe('entity tags of compressed answers (RFC 9110 §8.8.3.3)', () => {
  const getEtag = async (coding: string, target = path) =>
    String((await get(target, { 'Accept-Encoding': coding })).headers.etag);

  test('are strong and differ between codings', async () => {
    const tags = await Promise.all(['identity', 'gzip', 'br'].map((coding) => getEtag(coding)));
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(/^"[^"]+"$/);
  });

  test.each(['identity', 'gzip', 'br'])(
    '%s: If-None-Match returns 304 with the same tag and no body',
    async (coding) => {
      for (const target of [path, '/openapi.json']) {
        const etag = await getEtag(coding, target);
        for (const accepted of [coding, 'br']) {
          const headers = { 'Accept-Encoding': accepted, 'If-None-Match': etag };
          const cached = await get(target, headers);
          expect([cached.status, cached.body.length, cached.headers.etag]).toEqual([304, 0, etag]);
          expect(cached.headers['content-encoding']).toBeUndefined();
        }
      }
    },
  );

  test('of every coding are accepted in If-Match', async () => {
    for (const [coding, priority] of [
      ['br', 'high'],
      ['gzip', 'low'],
    ] as const) {
      const stale = await getEtag(coding);
      const change = (etag: string, value: string) =>
        api.request('PUT', path, { priority: value }, { 'If-Match': etag });
      expect((await change(stale, priority)).status).toBe(200);
      expect((await change(stale, 'urgent')).status).toBe(412);
    }
  });
});
