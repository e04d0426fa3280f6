import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectTo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../tests/api.fixture.ts';
import { connect, signIn } from '../people/people.fixture.ts';

let folder: string;
/** Two processes of the API on one SQLite file, each with its own storage. */
let one: TestApi;
let other: TestApi;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keydesk-answers-'));
  const storageUrl = `sqlite:${join(folder, 'tickets.db')}`;
  [one, other] = [await startApi({ storageUrl }), await startApi({ storageUrl })];
});
afterEach(async () => {
  await Promise.all([one.stop(), other.stop()]);
  await rm(folder, { recursive: true });
});

const headersOf = ({ headers }: { headers: Headers }) =>
  ['etag', 'content-type', 'link', 'cache-control', 'vary'].map((name) => headers.get(name));

describe('repeated reads', () => {
  it.each(['/tickets.json?limit=1', '/tickets.xml?limit=1', '/tickets?limit=1'])(
    'return the same body and headers for %s',
    async (path) => {
      await one.addTicket();
      await one.addTicket({ subject: 'Größer als gedacht' });
      const first = await one.request('GET', path);
      const again = await one.request('GET', path);
      expect(again.text).toBe(first.text);
      expect(headersOf(again)).toEqual(headersOf(first));
      expect(first.headers.get('link')).toContain('rel="next"');
    },
  );

  it('are all answered when they are pipelined on one connection (RFC 9112 §9.3.2)', async () => {
    const path = `/ticket/${(await one.addTicket()).id}.json`;
    const { text } = await one.request('GET', path);
    const { host, port, hostname } = new URL(one.url);
    const socket = connectTo(Number(port), hostname);
    const last = '/nothing.json';
    const token = one.issuer.token({ role: 'agent', scope: 'tickets:read' });
    const requests = [...Array(20).fill(path), last].map(
      (target) => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    socket.write(requests.join(''));
    let received = '';
    for await (const chunk of socket.setEncoding('utf8')) {
      received += chunk;
      if (received.includes('HTTP/1.1 404')) break;
    }
    expect(received.split(text)).toHaveLength(21);
  });

  it('return the latest commit of any process', async () => {
    const { id } = await one.addTicket();
    const path = `/ticket/${id}.json`;
    for (const [writer, status] of [
      [one, 'open'],
      [other, 'pending'],
      [other, 'solved'],
    ] as const) {
      await one.request('GET', path);
      await writer.request('PATCH', path, { status });
      expect((await one.request('GET', path)).json.status).toBe(status);
      const { tickets } = (await one.request('GET', '/tickets.json')).json as {
        tickets: { status: string }[];
      };
      expect(tickets.map((ticket) => ticket.status)).toEqual([status]);
    }
  });

  it('return 304 for a matching entity tag, and no body for HEAD', async () => {
    const path = `/ticket/${(await one.addTicket()).id}.json`;
    const etag = (await one.request('GET', path)).headers.get('etag') ?? '';
    const known = await one.request('GET', path, undefined, { 'If-None-Match': etag });
    expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', etag]);
    const head = await one.request('HEAD', path);
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag]);
  });

  it('return to each viewer their own view', async () => {
    const { id } = await one.addTicket({ requester: { email: 'ada@example.com' }, tags: ['secret'] });
    const path = `/ticket/${id}.json`;
    const [ada, eve] = [
      signIn(one, 'customer', 'ada@example.com'),
      signIn(one, 'customer', 'eve@example.com'),
    ];
    for (let round = 0; round < 2; round++) {
      expect((await one.request('GET', path)).json.tags).toEqual(['secret']);
      expect((await ada('GET', path)).json.tags).toEqual([]);
      expect((await eve('GET', path)).status).toBe(404);
    }
    const asAgent = signIn(one, 'agent', 'ada@example.com');
    expect((await asAgent('GET', path)).json.tags).toEqual(['secret']);
    expect((await ada('GET', path)).json.tags).toEqual([]);
    const [grace, machine] = [signIn(one, 'agent', 'grace@example.com'), connect(one, 'agent')];
    expect((await grace('GET', '/tickets.json?assignee=me')).status).toBe(200);
    expect((await machine('GET', '/tickets.json?assignee=me')).status).toBe(400);
    const token = one.issuer.token({ role: 'agent', scope: 'tickets:write' });
    const refused = await one.request('GET', path, undefined, { Authorization: `Bearer ${token}` });
    expect(refused.status).toBe(403);
  });

  it('follow changes of which custom fields customers may see', async () => {
    const admin = signIn(one, 'admin', 'root@example.com');
    const ada = signIn(one, 'customer', 'ada@example.com');
    const { id } = await one.addTicket({
      requester: { email: 'ada@example.com' },
      custom_fields: { floor: 3 },
    });
    const read = async () => (await ada('GET', `/ticket/${id}.json`)).json.custom_fields;
    expect(await read()).toEqual({});
    const field = { key: 'floor', title: 'Floor', type: 'integer', visible_to_customers: true };
    expect((await admin('POST', '/ticket_fields.json', field)).status).toBe(201);
    await expect.poll(read).toEqual({ floor: 3 });
  });
});
