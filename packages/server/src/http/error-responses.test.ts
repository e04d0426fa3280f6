import { describe, expect, it } from 'vitest';
import { AppError, apiSecurityHeaders } from '../index.ts';
import { startTestApp } from '../test-app.fixture.ts';

describe('an error response (RFC 9457)', () => {
  it('is a problem document with status, code, message and request id', async () => {
    const { url } = await startTestApp(() => {
      throw new AppError('conflict', 'The ticket is closed.', { extensions: { allowed: ['new'] } });
    });
    const response = await fetch(url);
    expect(response.status).toBe(409);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({
      type: 'urn:keydesk:problem:conflict',
      title: 'The request conflicts with the current state',
      status: 409,
      detail: 'The ticket is closed.',
      code: 'conflict',
      request_id: response.headers.get('x-request-id'),
      allowed: ['new'],
    });
  });

  it('lists every input error', async () => {
    const errors = [
      { field: 'a', code: 'required', message: 'is missing' },
      { field: 'b.c', code: 'too_long', message: 'is too long' },
    ];
    const { url } = await startTestApp(() => {
      throw new AppError('validation_failed', 'Two fields are wrong.', { errors });
    });
    expect(await (await fetch(url)).json()).toMatchObject({ status: 400, errors });
  });

  it('has the headers of the error, and Retry-After if it may be repeated (RFC 9110 §10.2.3)', async () => {
    const { url } = await startTestApp(() => {
      throw new AppError('unavailable', 'Later.', { headers: { Allow: 'GET' }, retryAfterSeconds: 1 });
    });
    const response = await fetch(url);
    expect(response.status).toBe(503);
    expect(response.headers.get('allow')).toBe('GET');
    expect(response.headers.get('retry-after')).toBe('1');
  });

  it('contains no details of a bug, which is logged with its stack and the request id', async () => {
    const app = await startTestApp(() => {
      throw new Error('hunter2 lies in /etc/passwd');
    });
    const response = await fetch(app.url);
    const body = await response.text();
    expect(response.status).toBe(500);
    expect(body).not.toMatch(/hunter2|passwd|error-responses/);
    expect(app.lines().find(({ level }) => level === 50)).toMatchObject({
      request_id: response.headers.get('x-request-id'),
      err: {
        message: 'hunter2 lies in /etc/passwd',
        stack: expect.stringContaining('error-responses.test.ts'),
      },
    });
  });

  it('has the status of a client error from Koa', async () => {
    const { url } = await startTestApp((ctx) => ctx.throw(413, 'too much'));
    expect(await (await fetch(url)).json()).toMatchObject({ status: 413, code: 'payload_too_large' });
  });

  it('is 500 for an error that Koa does not expose', async () => {
    const { url } = await startTestApp((ctx) => ctx.throw(404, 'hunter2', { expose: false }));
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('hunter2')]);
  });

  it('is 404 for an address without a resource', async () => {
    const { url } = await startTestApp((_, next) => next());
    const response = await fetch(`${url}/nowhere`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not_found' });
  });
});

describe('every response', () => {
  it('forbids sniffing, framing, referrers and rendering', async () => {
    const { url } = await startTestApp((ctx) => {
      ctx.body = 'ok';
    });
    const { headers } = await fetch(url);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('strict-transport-security')).toBeNull();
  });

  it('enables HSTS when the service uses https (RFC 6797 §6.1)', async () => {
    const secure = apiSecurityHeaders({ isHttps: true });
    const { url } = await startTestApp((ctx) =>
      secure(ctx, async () => {
        ctx.body = 'ok';
      }),
    );
    expect((await fetch(url)).headers.get('strict-transport-security')).toBe('max-age=31536000');
  });
});
