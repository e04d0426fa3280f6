import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Problem } from '@keydesk/server';
import { useStarted } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEchoApp } from '../echo-app.fixture.ts';
import { example } from '../example-ticket.fixture.ts';
import { readBody } from './request-body.ts';

const app = useStarted(startEchoApp);

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

async function send({ method = 'POST', ...rest }: Sent) {
  const response = await fetch(`${app.url}/tickets.json`, { method, ...rest });
  const answer = (await response.json()) as Problem;
  return { status: response.status, headers: response.headers, json: answer };
}

const json = JSON.stringify(example);
const jsonType = { 'content-type': 'application/json' };

describe('Content-Type of a request (RFC 9110 §8.3)', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'APPLICATION/JSON; Charset=utf8',
  ])('%s is JSON', async (type) => {
    const { status, json: answer } = await send({ headers: { 'content-type': type }, body: json });
    expect(status).toBe(200);
    expect(answer).toEqual(example);
  });

  it.each(['application/xml', 'text/xml', 'text/xml; charset=utf-8'])('%s is XML', async (type) => {
    const body = '<ticket><subject>only</subject></ticket>';
    const { status, json: answer } = await send({ headers: { 'content-type': type }, body });
    expect(status).toBe(400);
    expect(answer.code).toBe('validation_failed');
    expect(answer.errors?.map(({ field }) => field)).not.toContain('subject');
  });

  it.each([
    'text/plain',
    'application/merge-patch+json',
    'multipart/form-data; boundary=x',
    'application/json-seq',
    'application/vnd.api+json',
    'json',
    '/',
    'application/json; charset=iso-8859-1',
    'text/xml; charset=utf-16',
    'application/x-www-form-urlencoded; charset=windows-1252',
  ])('%s is 415 on POST, with Accept-Post', async (type) => {
    const { status, headers, json: answer } = await send({ headers: { 'content-type': type }, body: json });
    expect(status).toBe(415);
    expect(answer.code).toBe('unsupported_media_type');
    expect(headers.get('accept-post')).toBe(
      'application/json, application/xml, text/xml, application/x-www-form-urlencoded',
    );
  });

  it('missing is 415 with a body, and 400 without one', async () => {
    expect((await send({ body: new TextEncoder().encode(json) })).status).toBe(415);
    expect(await send({})).toMatchObject({ status: 400, json: { code: 'malformed_body' } });
  });

  it('of PATCH is a merge patch; any other is 415 with Accept-Patch (RFC 5789 §3.1)', async () => {
    const body = JSON.stringify({ tags: ['x'], requester: { name: 'Ada' }, note: null });
    for (const type of ['application/merge-patch+json', 'application/json']) {
      const patched = await send({ method: 'PATCH', headers: { 'content-type': type }, body });
      expect(patched.status).toBe(200);
      expect(patched.json).toEqual({
        ...example,
        tags: ['x'],
        requester: { ...example.requester, name: 'Ada' },
      });
    }
    const rejected = await send({ method: 'PATCH', headers: { 'content-type': 'application/xml' }, body });
    expect(rejected.status).toBe(415);
    expect(rejected.headers.get('accept-patch')).toBe('application/merge-patch+json, application/json');
  });

  it('of PUT that is not supported is 415 with Accept (RFC 9110 §15.5.16)', async () => {
    const { status, headers } = await send({
      method: 'PUT',
      headers: { 'content-type': 'text/csv' },
      body: 'a',
    });
    expect(status).toBe(415);
    expect(headers.get('accept')).toContain('application/json');
  });
});

describe('Content-Encoding of a request (RFC 9110 §8.4)', () => {
  it('is 415 unless it is identity', async () => {
    const rejected = await send({ headers: { ...jsonType, 'content-encoding': 'gzip' }, body: json });
    expect(rejected.status).toBe(415);
    expect(rejected.json.detail).toContain('gzip');
    expect(rejected.headers.get('accept-encoding')).toBe('identity');
    const accepted = await send({ headers: { ...jsonType, 'content-encoding': 'Identity' }, body: json });
    expect(accepted.status).toBe(200);
  });
});

describe('the bytes of a body', () => {
  it.each([
    ['an overlong form', [0xc0, 0xaf]],
    ['half a character', [0xe2, 0x82]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['Latin-1', [0x7b, 0xe9, 0x7d]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
    ['a NUL', [0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0x00, 0x22, 0x7d]],
  ])('must be UTF-8 in every type: %s is 400', async (_, bytes) => {
    for (const type of ['application/json', 'application/xml', 'application/x-www-form-urlencoded']) {
      const answer = await send({ headers: { 'content-type': type }, body: new Uint8Array(bytes) });
      expect(answer).toMatchObject({ status: 400, json: { code: 'malformed_body' } });
    }
  });

  it('may begin with a byte order mark', async () => {
    expect((await send({ headers: jsonType, body: `\uFEFF${json}` })).status).toBe(200);
  });

  it('may only be empty for a form', async () => {
    const empty = { body: '' };
    const missing = { code: 'malformed_body', detail: 'This request requires a body.' };
    expect((await send({ headers: jsonType, ...empty })).json).toMatchObject(missing);
    expect((await send({ headers: jsonType, ...empty, method: 'PATCH' })).json).toMatchObject(missing);
    expect((await send({ headers: { 'content-type': 'text/xml' }, ...empty })).json).toMatchObject(missing);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send({ headers: form, ...empty })).json.code).toBe('validation_failed');
  });
});

describe('a body of more than 1 MiB', () => {
  const padded = (size: number) => `{"x":"${'a'.repeat(size - 8)}"}`;

  it('is 413; one of exactly that size is accepted', async () => {
    const beyond = await send({ headers: jsonType, body: padded(1024 * 1024 + 1) });
    expect(beyond).toMatchObject({
      status: 413,
      json: { code: 'payload_too_large', detail: 'The body exceeds the limit of 1048576 bytes.' },
    });
    const within = await send({ headers: jsonType, body: padded(1024 * 1024) });
    expect(within).toMatchObject({ status: 400, json: { code: 'validation_failed' } });
  });

  it('is 413 as soon as the limit is exceeded, even without Content-Length', async () => {
    const req = request(`${app.url}/tickets.json`, { method: 'POST', headers: jsonType });
    const answered = once(req, 'response');
    req.write(Buffer.alloc(1024 * 1024, 0x20));
    req.write(' ');
    const [response] = await answered;
    expect(response.statusCode).toBe(413);
    req.destroy();
  });

  it('leaves the connection usable for the next request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const answers = [];
    for (const body of [padded(3 * 1024 * 1024), json, padded(3 * 1024 * 1024), json]) {
      const req = request(`${app.url}/tickets.json`, { method: 'POST', agent, headers: jsonType });
      // Several writes without a length: chunked.
      for (let at = 0; at < body.length; at += 100_000) req.write(body.slice(at, at + 100_000));
      const [response] = await once(req.end(), 'response');
      answers.push(`${response.statusCode} on ${req.socket?.localPort}`);
      await once(response.resume(), 'end');
    }
    const [, port] = answers[0]?.split(' on ') ?? [];
    expect(answers).toEqual([413, 200, 413, 200].map((status) => `${status} on ${port}`));
  });
});

describe('a client that disconnects', () => {
  /** Returns the outcome of reading a body whose client disconnects, before or during reading. */
  async function outcomeOf(readAt: 'at once' | 'after disconnect'): Promise<unknown> {
    const outcome = Promise.withResolvers<unknown>();
    const server = createServer(async (req) => {
      if (readAt === 'after disconnect') await new Promise((resolve) => req.on('close', resolve));
      readBody({ req, method: 'POST' }, 'ticket').then(outcome.resolve, outcome.resolve);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const headers = { ...jsonType, 'content-length': '1000' };
    const req = request({ port, method: 'POST', headers });
    req.on('error', () => undefined);
    req.write('{');
    await once(server, 'request');
    req.destroy();
    return outcome.promise;
  }

  it('within its body causes a client error, not a server error', async () => {
    expect(await outcomeOf('at once')).toMatchObject({ code: 'malformed_body' });
    expect(await outcomeOf('after disconnect')).toMatchObject({ code: 'malformed_body' });
  });
});
