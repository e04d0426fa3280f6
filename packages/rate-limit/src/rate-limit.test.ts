import { errorResponses, type Listening, listen } from '@keydesk/server';
import Koa from 'koa';
import { afterEach, describe, expect, it } from 'vitest';
import { type RateLimitOptions, rateLimit } from './rate-limit.ts';
import { createRateLimiter } from './rate-limiter.ts';

const servers: Listening[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

interface Limits extends Omit<RateLimitOptions, 'policies'> {
  reads: number;
  writes: number;
}

/** Starts a limited app that reads its caller from headers; returns a function to call it. */
async function start({ reads, writes, ...options }: Limits) {
  const limiterOf = (points: number) => createRateLimiter({ keyPrefix: 'test', points, durationSeconds: 60 });
  const app = new Koa();
  app.use(errorResponses());
  app.use((ctx, next) => {
    ctx.state.caller = { clientId: ctx.get('client'), subject: ctx.get('subject') };
    return next();
  });
  app.use(rateLimit({ policies: { reads: limiterOf(reads), writes: limiterOf(writes) }, ...options }));
  app.use((ctx) => {
    if (ctx.path !== '/nothing') ctx.status = 204;
  });
  const server = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  servers.push(server);
  return (method: string, headers: Record<string, string> = {}, path = '/') =>
    fetch(server.url + path, { method, headers });
}

describe('the rate limit of an API', () => {
  it('responds 421 with Retry-After and a problem above the limit', async () => {
    const call = await start({ reads: 2, writes: 2 });
    expect((await call('GET')).status).toBe(204);
    expect((await call('GET')).status).toBe(204);
    const refused = await call('GET');
    expect(refused.status).toBe(421);
    const retryAfter = Number(refused.headers.get('Retry-After'));
    expect(retryAfter).toBeGreaterThan(50);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(await refused.json()).toMatchObject({ status: 421, code: 'too_many_requests' });
  });

  it('responds 429 when configured', async () => {
    const call = await start({ reads: 1, writes: 1, status: 429 });
    await call('GET');
    const refused = await call('GET');
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ status: 429, code: 'too_many_requests' });
  });

  it('counts GET, HEAD and OPTIONS as reads and every other method as a write', async () => {
    const call = await start({ reads: 3, writes: 4, status: 429 });
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await call(method)).status).toBe(204);
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await call(method)).status).toBe(429);
  });

  it('counts each pair of client and subject separately', async () => {
    const call = await start({ reads: 1, writes: 1, status: 429 });
    const callers = [
      { client: 'app', subject: 'ann' },
      { client: 'app', subject: 'bob' },
      { client: 'other', subject: 'ann' },
      { client: 'app:ann', subject: 'x y' },
      { client: 'app', subject: 'ann:x y' },
      { client: 'app:ann x', subject: 'y' },
    ];
    for (const caller of callers) expect((await call('GET', caller)).status).toBe(204);
    for (const caller of callers) expect((await call('GET', caller)).status).toBe(429);
  });

  it('counts by a custom key', async () => {
    const call = await start({ reads: 1, writes: 1, status: 429, keyOf: (ctx) => ctx.get('address') });
    await call('GET', { address: '::1', client: 'one' });
    expect((await call('GET', { address: '::1', client: 'other' })).status).toBe(429);
    expect((await call('GET', { address: '::2' })).status).toBe(204);
  });

  it('does nothing when the limit is 0', async () => {
    const call = await start({ reads: 0, writes: 1, status: 429 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => call('GET')));
    expect(answers.every(({ status }) => status === 204)).toBe(true);
    expect(answers[0]?.headers.get('RateLimit')).toBeNull();
    await call('POST');
    expect((await call('POST')).status).toBe(429);
  });
});

describe('the RateLimit fields (draft-ietf-httpapi-ratelimit-headers-10 §3, §4, §6)', () => {
  const fieldsOf = ({ headers }: Response) => [headers.get('RateLimit-Policy'), headers.get('RateLimit')];

  it('contain quota, window, remaining points and reset of the applied policy', async () => {
    const call = await start({ reads: 3000, writes: 300 });
    expect(fieldsOf(await call('GET'))).toEqual(['"reads";q=3000;w=60', '"reads";r=2999;t=60']);
    expect(fieldsOf(await call('POST'))).toEqual(['"writes";q=300;w=60', '"writes";r=299;t=60']);
  });

  it('are in error responses, too, and Retry-After equals the reset', async () => {
    const call = await start({ reads: 1, writes: 1, status: 429 });
    const missing = await call('GET', {}, '/nothing');
    expect(missing.status).toBe(404);
    expect(fieldsOf(missing)).toEqual(['"reads";q=1;w=60', '"reads";r=0;t=60']);
    const refused = await call('GET');
    expect(fieldsOf(refused)).toEqual([
      '"reads";q=1;w=60',
      `"reads";r=0;t=${refused.headers.get('Retry-After')}`,
    ]);
  });
});
