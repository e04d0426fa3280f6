import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSqliteDatabase, type TestDatabase } from '../../storage/test-database.fixture.ts';
import { type Answer, startApi, type TestApi } from '../../tests/api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';
import { readChanges } from './follower.fixture.ts';

let database: TestDatabase;
let api: TestApi;
let agent: Send;
beforeEach(async () => {
  database = await createSqliteDatabase();
  api = await startApi({ storageUrl: database.storageUrl, heartbeatMs: 200 });
  agent = signIn(api, 'agent', 'grace@example.com');
});
afterEach(async () => {
  await api.stop();
  await database.drop();
});

/** Much shorter than the minute that requests here wait for, even on a busy machine. */
const PROMPT_MS = 30_000;

/** Waits for changes from now on and measures the time. */
async function wait(send: Send, seconds = 60): Promise<{ answer: Answer; tookMs: number }> {
  const { position } = await readChanges(send, '?since=now');
  return waitAfter(send, position, seconds);
}

async function waitAfter(send: Send, position: string, seconds: number) {
  const startedAt = performance.now();
  const answer = await send('GET', `/changes.json?since=${position}&wait=${seconds}`);
  return { answer, tookMs: performance.now() - startedAt };
}

/** Starts a wait; whenever its request arrives, it does not miss later changes. */
async function startWaiting(send: Send): Promise<{ ended: ReturnType<typeof wait> }> {
  const { position } = await readChanges(send, '?since=now');
  const ended = waitAfter(send, position, 60);
  await untilWaiting();
  return { ended };
}

/** Counts the log lines of completed or aborted requests of changes. */
const countEnded = () =>
  api.log.filter((line) => line.includes('"path":"/changes.json"') && line.includes('"duration_ms"')).length;

/** Resolves with the rejection, once the maximum number of requests of the caller are waiting. */
async function untilRejected(send: Send): Promise<Answer> {
  for (;;) {
    const answer = await send('GET', '/changes.json?since=now&wait=1');
    if (answer.status !== 200) {
      expect(answer.status, answer.text).toBe(421);
      return answer;
    }
  }
}

/** Resolves when the sent requests are waiting. */
const untilWaiting = () => new Promise((resolve) => setTimeout(resolve, 300));

describe('a request that waits for changes', () => {
  test('returns when the definitions of custom fields change', async () => {
    const before = await readChanges(agent, '?since=now');
    const waiting = await startWaiting(agent);
    const admin = signIn(api, 'admin', 'root@example.com');
    await admin('POST', '/ticket_fields.json', { key: 'floor', title: 'Floor', type: 'integer' });
    const { answer } = await waiting.ended;
    expect(answer.json).toEqual({ ...before, fields_tag: expect.any(String) });
    expect(answer.json.fields_tag).not.toBe(before.fields_tag);
  });

  test('returns when a visible change arrives, and not for invisible ones', async () => {
    const customer = signIn(api, 'customer', 'ada@example.com');
    const own = await api.addTicket({ requester: { email: 'ada@example.com' } });
    const waiting = await startWaiting(customer);
    await api.addTicket();
    await agent('POST', `/ticket/${own.id}/replies.json`, { body: 'a note', visibility: 'internal' });
    await untilWaiting();
    expect(countEnded()).toBe(1);
    await agent('PUT', `/ticket/${own.id}.json`, { subject: 'new words' });
    const { answer } = await waiting.ended;
    expect(answer.json.changes).toMatchObject([{ id: own.id, ticket: { subject: 'new words' } }]);
  });

  test('returns when another process commits a change', async () => {
    const other = await startApi({ storageUrl: database.storageUrl });
    const waiting = await startWaiting(agent);
    const { id } = await other.addTicket();
    const { answer, tookMs } = await waiting.ended;
    await other.stop();
    expect(answer.json.changes).toMatchObject([{ id }]);
    expect(tookMs).toBeLessThan(PROMPT_MS);
  });

  test('returns an empty page on timeout', async () => {
    const { answer, tookMs } = await wait(agent, 1);
    expect([answer.status, answer.json.changes, answer.json.has_more]).toEqual([200, [], false]);
    expect(tookMs).toBeGreaterThan(900);
  });

  test('returns when its token expires', async () => {
    const exp = Math.floor(Date.now() / 1000) + 2;
    const { answer, tookMs } = await wait(signIn(api, 'agent', 'grace@example.com', { exp }));
    expect(answer.json.changes).toEqual([]);
    expect(tookMs).toBeLessThan(PROMPT_MS);
  });

  test('returns the first change ever written for its caller', async () => {
    const waiting = await startWaiting(signIn(api, 'customer', 'new@example.com'));
    const { id } = await api.addTicket({ requester: { email: 'new@example.com' } });
    expect((await waiting.ended).answer.json.changes).toMatchObject([{ id }]);
  });

  test('is rejected at once for an invalid position', async () => {
    expect((await agent('GET', '/changes.json?since=nonsense&wait=60')).status).toBe(400);
  });

  test('is one of at most 20 per caller; further ones get 421 with Retry-After', async () => {
    const { position } = await readChanges(agent, '?since=now');
    const waiting = Array.from({ length: 25 }, () =>
      agent('GET', `/changes.json?since=${position}&wait=60`).then((answer) => answers.push(answer)),
    );
    const answers: Answer[] = [];
    await expect.poll(() => answers.length).toBe(5);
    for (const { status, json, headers } of answers) {
      expect([status, json.code, headers.get('Retry-After')]).toEqual([421, 'too_many_requests', '5']);
    }
    expect((await wait(signIn(api, 'agent', 'another@example.com'), 1)).answer.status).toBe(200);
    await api.addTicket();
    await Promise.all(waiting);
    expect(answers.slice(5).map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect((await wait(agent, 1)).answer.status).toBe(200);
  });

  test('is freed when its client disconnects', async () => {
    const clients = new AbortController();
    const token = api.issuer.token({ role: 'agent' });
    const init = { headers: { Authorization: `Bearer ${token}` }, signal: clients.signal };
    const aborted = Array.from({ length: 25 }, () =>
      fetch(`${api.url}/changes?since=now&wait=60`, init).catch(() => undefined),
    );
    const send: Send = (method, path) => api.request(method, path, undefined, init.headers);
    await untilRejected(send);
    clients.abort();
    await Promise.all(aborted);
    const statusOfNext = async () => (await send('GET', '/changes.json?since=now&wait=1')).status;
    await expect.poll(statusOfNext).toBe(200);
  });

  test('returns at the end of the drain period', async () => {
    const waiting = await startWaiting(agent);
    api.drain();
    api.endWaits();
    const { answer, tookMs } = await waiting.ended;
    expect([answer.status, answer.json.changes]).toEqual([200, []]);
    expect(tookMs).toBeLessThan(PROMPT_MS);
  });
});
