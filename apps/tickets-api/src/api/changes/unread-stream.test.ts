import { once } from 'node:events';
import { connect } from 'node:net';
import { createMetrics } from '@keydesk/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../tests/api.fixture.ts';

const metrics = createMetrics();
/** More than the buffers of a connection on the same machine take. */
const TICKETS = 48;
const description = 'ß'.repeat(65_536);
/** The wait for the stream's end; a busy machine is slow. */
const PATIENCE_MS = 60_000;

describe('an event stream that its client does not read (RFC 6750 §5.3)', () => {
  const nowMs = Date.now();
  let api: TestApi;
  let listening: Awaited<ReturnType<typeof metrics.serve>>;
  beforeAll(async () => {
    api = await startApi({ metrics, now: () => new Date(nowMs) });
    listening = await metrics.serve({ host: '127.0.0.1', port: 0 });
    for (let i = 0; i < TICKETS; i++) await api.addTicket({ description });
  }, PATIENCE_MS);
  afterAll(async () => {
    await listening.close();
    await api.stop();
  });

  async function countWaits(): Promise<string | undefined> {
    const text = await (await fetch(`${listening.url}/metrics`)).text();
    return /^api_waiting_requests (\d+)$/m.exec(text)?.[1];
  }

  test(
    'ends after its token has expired, and frees its place',
    async () => {
      // The clock of the API is frozen, so the token is valid however late the request arrives.
      const iat = Math.floor(nowMs / 1000);
      const token = api.issuer.token({ role: 'agent', iat, exp: iat + 1 });
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1').pause();
      socket.on('error', () => undefined);
      socket.write(
        `GET /changes HTTP/1.1\r\nHost: api\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      // It has begun; nothing of it is read.
      await once(socket, 'readable');
      await expect.poll(countWaits, { timeout: PATIENCE_MS, interval: 250 }).toBe('0');
      const head = String(socket.read(17));
      socket.destroy();
      expect(head).toBe('HTTP/1.1 200 OK\r\n');
    },
    2 * PATIENCE_MS,
  );
});
