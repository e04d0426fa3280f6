import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.fixture.ts';

let api: TestApi;
afterEach(() => api.stop());

/** Sends a request without `fetch`, which by itself repeats a request answered with 421. */
function get(
  path: string,
  token: string,
): Promise<{ status: number | undefined; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    request(api.url + path, { headers: { Authorization: `Bearer ${token}` } }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, headers: response.headers });
    })
      .on('error', reject)
      .end();
  });
}

describe('rate limits', () => {
  test('reads beyond the limit get 421 with Retry-After and the RateLimit fields, per client and subject', async () => {
    api = await startApi({ env: { RATE_LIMIT_READS_PER_MINUTE: '3' } });
    const mine = api.issuer.token({ role: 'agent' });
    const statuses: unknown[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await get('/tickets.json', mine)).status);
    expect(statuses).toEqual([200, 200, 200, 421]);
    const { headers } = await get('/tickets.json', mine);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(headers['ratelimit-policy']).toBe('"reads";q=3;w=60');
    expect(headers.ratelimit).toMatch(/^"reads";r=0;t=\d+$/);
    const other = await get(
      '/tickets.json',
      api.issuer.token({ role: 'agent', client_id: 'other', sub: 'other' }),
    );
    expect(other.status).toBe(200);
  });

  test('writes have a counter of their own', async () => {
    api = await startApi({ env: { RATE_LIMIT_WRITES_PER_MINUTE: '1', RATE_LIMIT_STATUS: '429' } });
    expect((await api.request('POST', '/tickets.json', { subject: 'x' })).status).toBe(201);
    expect((await api.request('POST', '/tickets.json', { subject: 'x' })).status).toBe(429);
    expect((await api.request('GET', '/tickets.json')).status).toBe(200);
  });

  test('0 means no limit', async () => {
    api = await startApi({ env: { RATE_LIMIT_READS_PER_MINUTE: '0' } });
    const { headers } = await api.request('GET', '/tickets.json');
    expect(headers.get('RateLimit')).toBeNull();
  });
});

describe('the log', () => {
  test('has one line per request, with the client, and never a token or a query', async () => {
    api = await startApi();
    const token = api.issuer.token({ role: 'agent', client_id: 'bot', sub: 'bot' });
    await get('/tickets.json?requester=secret%40example.com', token);
    await get(`/tickets.json?access_token=${token}`, token);
    // A line is written when the connection is done, which may be after the client has the response.
    await expect.poll(() => api.log).toHaveLength(2);
    const lines = api.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({
      method: 'GET',
      path: '/tickets.json',
      status: 200,
      client_id: 'bot',
      request_id: expect.any(String),
    });
    expect(api.log.join()).not.toContain(token.slice(-20));
    expect(api.log.join()).not.toContain('secret');
  });
});
