import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, type Program, startProgram, startTestIssuer, untilReady } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTicket } from '../api/tickets/new-ticket.fixture.ts';
import { adding } from '../helpdesk/commit/ticket-commit.fixture.ts';
import { openStorage } from '../storage/open-storage.ts';

/** The API on an existing database whose disk has become full. */
describe('the API on a full disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-full-'));
  const ticket = newTicket();
  let issuer: Awaited<ReturnType<typeof startTestIssuer>>;
  let server: Program;
  let url: string;

  beforeAll(async () => {
    const STORAGE_URL = `sqlite:${join(folder, 'tickets.db')}`;
    const storage = await openStorage(STORAGE_URL);
    await storage.tickets.commit([adding(ticket)]);
    await storage.close();
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}`;
    issuer = await startTestIssuer({ audience: url });
    server = startProgram(join(import.meta.dirname, '../main.ts'), {
      env: { API_PORT: String(port), BASE_URL: url, STORAGE_URL, ISSUER: issuer.issuer },
      isDiskFull: true,
    });
    await untilReady(url, server);
  });
  afterAll(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
    await issuer.stop();
    rmSync(folder, { recursive: true });
  });

  function request(method: string, path: string, body?: unknown): Promise<Response> {
    const scope = 'tickets:read tickets:write tickets:delete';
    const headers = { Authorization: `Bearer ${issuer.token({ role: 'agent', scope })}` };
    return fetch(url + path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  it.each(['/tickets.json', `/ticket/${ticket.id}.json`, `/ticket/${ticket.id}.xml`, '/changes.json'])(
    'starts and serves GET %s',
    async (path) => {
      expect((await request('GET', path)).status).toBe(200);
    },
  );

  it.each([
    ['POST', '/tickets.json', { subject: 'New' }],
    ['PATCH', `/ticket/${ticket.id}.json`, { subject: 'Changed' }],
    ['DELETE', `/ticket/${ticket.id}.json`, undefined],
  ])('rejects %s %s with 503 and a reason', async (method, path, body) => {
    const response = await request(method, path, body);
    expect(await response.json()).toMatchObject({
      status: 503,
      code: 'unavailable',
      detail: 'The storage is full or read-only; retry after its operator has made it writable.',
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
    expect((await request('GET', `/ticket/${ticket.id}.json`)).status).toBe(200);
  });
});
