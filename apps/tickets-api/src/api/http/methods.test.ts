import { useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { startApi } from '../../tests/api.fixture.ts';

const api = useStarted(startApi);

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

  test('OPTIONS lists the methods of a path and needs no token (RFC 9110 §9.3.7)', async () => {
    const { status, headers } = await api.request('OPTIONS', '/tickets.json', undefined, {
      Authorization: undefined,
    });
    expect(status).toBe(204);
    expect(headers.get('Allow')).toBe('GET, HEAD, OPTIONS, POST');
  });

  test('OPTIONS ignores Accept', async () => {
    for (const path of ['/tickets', '/changes']) {
      const { status, headers } = await api.request('OPTIONS', path, undefined, {
        Accept: 'text/event-stream',
      });
      expect([status, headers.get('Vary')]).toEqual([204, 'Accept-Encoding, Accept']);
    }
  });

  test('a 406 varies by Accept (RFC 9110 §12.5.5)', async () => {
    const { status, headers } = await api.request('GET', '/tickets', undefined, { Accept: 'image/png' });
    expect([status, headers.get('Vary')]).toEqual([406, 'Accept-Encoding, Accept']);
  });

  test('an unsupported method gets 405 with the supported ones (RFC 9110 §15.5.6)', async () => {
    const { status, headers, json } = await api.request('POST', '/ticket/x.json', {});
    expect(status).toBe(405);
    expect(json.code).toBe('method_not_allowed');
    expect(headers.get('Allow')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH, PUT');
  });

  test.each([
    '/tickets/019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071.json',
    '/ticket.xml',
    '/v1/tickets',
    '/Tickets.json',
    '/tickets/.json',
    '/tickets/',
    '/',
  ])('an unknown path gets 404 that names the main endpoints: %s', async (path) => {
    for (const method of ['GET', 'PUT', 'OPTIONS']) {
      const { status, text } = await api.request(method, path);
      expect(status).toBe(404);
      expect(text).toContain('/ticket/{id}.json');
    }
  });

  test('CORS allows browser apps of any origin', async () => {
    const preflight = await api.request('OPTIONS', '/tickets.json', undefined, {
      Authorization: undefined,
      Origin: 'https://app.example',
      'Access-Control-Request-Method': 'POST',
    });
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toMatch(/Authorization/);
    expect(preflight.headers.get('Access-Control-Allow-Methods')).toMatch(/POST/);
    const answer = await api.request('GET', '/tickets.json', undefined, { Origin: 'https://app.example' });
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(answer.headers.get('Access-Control-Expose-Headers')).toMatch(/\bETag\b.*\bX-Request-Id\b/);
  });
});

describe('operations without a request body', () => {
  const headers = { 'Content-Type': 'application/json' };

  test.each([
    ['DELETE', '/ticket/ID'],
    ['POST', '/ticket/ID/restore'],
    ['DELETE', '/ticket/ID/tags', '?tag=fire'],
    ['DELETE', '/ticket/ID/link/ID'],
    ['DELETE', '/ticket/ID/reply/ID'],
    ['DELETE', '/ticket_field/ID'],
  ])('reject a body and change nothing: %s %s', async (method, path, query = '') => {
    const { id, version } = await api.addTicket({ tags: ['fire'] });
    const target = `${path.replaceAll('ID', id)}.json${query}`;
    for (const body of ['{"purge":true}', 'junk', ' '.repeat(2_000_000)]) {
      const { status, json } = await api.request(method, target, body, headers);
      expect([status, json.code]).toEqual([400, 'invalid_request']);
      expect(json.detail).toContain('query');
    }
    expect((await api.request('GET', `/ticket/${id}.json`)).json.version).toBe(version);
  });

  test('reject long white space in linear time', async () => {
    const { id } = await api.addTicket();
    for (const start of ['', '{', 'null']) {
      const body = `${start}${' '.repeat(500_000)}x`;
      expect((await api.request('DELETE', `/ticket/${id}.json`, body, headers)).status).toBe(400);
    }
  });

  test.each(['', '{}', 'null'])('accept %j as an empty body', async (body) => {
    const { id } = await api.addTicket();
    expect((await api.request('DELETE', `/ticket/${id}.json`, body, headers)).status).toBe(200);
    expect((await api.request('POST', `/ticket/${id}/restore.json`, body, headers)).status).toBe(200);
  });
});
