import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { useStarted } from '@keydesk/testing';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { basic, startTestServer } from './test-server.fixture.ts';

const names = fc.constantFrom(
  'grant_type',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
  'scope',
  'resource',
  '__proto__',
  'constructor',
  'resource[]',
  'scope[$ne]',
);
const values = fc.oneof(
  fc.constantFrom(
    'client_credentials',
    'tickets:read',
    'https://api.example',
    'a.b.c',
    'e30.e30.',
    '\u0000',
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 200 }),
);
const headers = fc.oneof(
  fc.constant({}),
  fc.base64String().map((text) => ({ Authorization: `Basic ${text}` })),
  fc.stringMatching(/^[\x21-\x7e]{0,40}$/).map((text) => ({ Authorization: text })),
);

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));
  let id: string;
  let secret: string | null;
  beforeAll(async () => {
    ({ id, secret } = await server.addClient());
  });

  async function statusOf(init: RequestInit): Promise<number> {
    const response = await fetch(`${server.url}/token`, { method: 'POST', ...init });
    const text = await response.text();
    expect(text).not.toMatch(/node_modules|\.ts:|\.js:| at /);
    return response.status;
  }

  describe('the token endpoint', () => {
    it('answers any form of an unauthenticated client with 4xx', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(names, values), { maxLength: 8 }),
          headers,
          async (pairs, head) => {
            const status = await statusOf({ body: new URLSearchParams(pairs), headers: head });
            expect(status).toBeGreaterThanOrEqual(400);
            expect(status).toBeLessThan(500);
          },
        ),
        { numRuns: 150 },
      );
    });

    it('answers any form of an authenticated client with 200 or 4xx', async () => {
      const authorization = basic(id, secret);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(names, values), { maxLength: 8 }), async (pairs) => {
          expect(await statusOf({ body: new URLSearchParams(pairs), headers: authorization })).toBeLessThan(
            500,
          );
        }),
        { numRuns: 150 },
      );
    });

    it('answers any bytes with 4xx', async () => {
      const types = fc.constantFrom(
        'application/x-www-form-urlencoded',
        'application/x-www-form-urlencoded; charset=utf-7',
        'application/json',
        'multipart/form-data',
        'nonsense',
      );
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), types, async (bytes, type) => {
          const status = await statusOf({
            body: bytes as Uint8Array<ArrayBuffer>,
            headers: { 'Content-Type': type },
          });
          expect(status).toBeGreaterThanOrEqual(400);
          expect(status).toBeLessThan(500);
        }),
        { numRuns: 150 },
      );
    });

    it('rejects a body of more than 56 KB', async () => {
      const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'x'.repeat(60_000) });
      expect(await statusOf({ body, headers: basic(id, secret) })).toBe(400);
    });

    it('logs invalid chunked framing, and nothing of the body (RFC 9112 §7.1)', async () => {
      const body = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;
      const { port, host } = new URL(server.url);
      const socket = connect(Number(port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      socket.write(
        `POST /token HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
          `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\nnonsense\r\n`,
      );
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
      await vi.waitFor(() => expect(server.logged()).toContain('HPE_INVALID_CHUNK_SIZE'), 30_000);
      expect(server.logged()).not.toContain([...Buffer.from(secret ?? '')].join());
    });

    it('still issues tokens afterwards', async () => {
      const response = await server.requestToken({ grant_type: 'client_credentials' }, basic(id, secret));
      expect(response.status).toBe(200);
      expect(server.lines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
    });
  });

  // A client closes the connection; a crashed client resets it.
  describe.each(['destroy', 'resetAndDestroy'] as const)(
    'a request that its client aborts (socket: %s)',
    (breakOff) => {
      it.each(['/token', '/sign-in'])('is logged for %s as a client error', async (path) => {
        const before = server.lines().length;
        const { port, host } = new URL(server.url);
        const socket = connect(Number(port), '127.0.0.1');
        await once(socket, 'connect');
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
            'Content-Length: 9\r\nExpect: 100-continue\r\n\r\n',
        );
        // A reset discards unread data, so the test waits until the server has read the headers.
        await once(socket, 'data');
        socket.write('a=', () => setTimeout(() => socket[breakOff](), 50));
        const lines = () => server.lines().slice(before);
        await vi.waitUntil(() => lines().some(({ aborted }) => aborted), 30_000);
        await sleep(50);
        expect(lines().filter(({ level }) => Number(level) > 30)).toEqual([]);
      });
    },
  );

  describe('a body over the size limit (RFC 9110 §15.5.14)', () => {
    it.each(['close', 'keep-alive'])(
      'is answered with 413 before it is complete (Connection: %s)',
      async (connection) => {
        const { port, host } = new URL(server.url);
        const socket = connect(Number(port), '127.0.0.1');
        onTestFinished(() => void socket.destroy());
        await once(socket, 'connect');
        const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
        socket.write(
          `POST /sign-in HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
            `Connection: ${connection}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`,
        );
        const [answer] = await once(socket, 'data');
        expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
        socket.end('0\r\n\r\n');
        await once(socket.resume(), 'close');
        expect((await fetch(`${server.url}/sign-in`)).status).toBe(200);
      },
    );
  });
});
