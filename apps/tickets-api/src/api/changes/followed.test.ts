import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describeWith } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../../storage/test-database.fixture.ts';
import { startApi, type TestApi } from '../../tests/api.fixture.ts';
import { claimsOf, type Send, signIn } from '../people/people.fixture.ts';
import { type Copy, createCopy, readChanges, readEvents, readLists } from './follower.fixture.ts';

const email = 'ada@example.com';

/** Runs the writer process to its end. */
async function runWriter({ issuer }: TestApi, storageUrl: string, times: number): Promise<void> {
  const program = fileURLToPath(new URL('./followed-api.main.fixture.ts', import.meta.url));
  const scope = 'tickets:read tickets:write tickets:delete';
  const sign = (role: string, address: string) => issuer.token({ ...claimsOf(role, address), scope });
  const tokens = {
    agent: sign('agent', 'grace@example.com'),
    admin: sign('admin', 'root@example.com'),
    customer: sign('customer', email),
  };
  const sharedIssuer = JSON.stringify({ issuer: issuer.issuer, jwksUrl: issuer.jwksUrl, tokens });
  const child = fork(program, [storageUrl, email, String(times), sharedIssuer], { execArgv: [] });
  expect(await once(child, 'exit')).toEqual([0, null]);
}

/** Follows the feed by waiting requests until it is aborted. */
async function followByWaiting(send: Send, copy: Copy, signal: AbortSignal): Promise<void> {
  for (let since = ''; !signal.aborted; ) {
    const page = await readChanges(send, `?limit=7&wait=2${since === '' ? '' : `&since=${since}`}`);
    copy.apply(page.changes);
    since = page.position;
  }
}

/** Follows the feed by streams, each aborted after some events and continued after the last, until it is aborted. */
async function followByStreams(url: string, token: string, copy: Copy, signal: AbortSignal): Promise<void> {
  const lastEvent: { 'Last-Event-ID'?: string } = {};
  while (!signal.aborted) {
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream', ...lastEvent };
    const response = await fetch(`${url}/changes`, { headers, signal });
    let count = 0;
    for await (const event of readEvents(response)) {
      if (event?.event === 'change') copy.apply([event.data]);
      if (event?.id) lastEvent['Last-Event-ID'] = event.id;
      if (++count === 25) break;
    }
  }
}

/** Starts a client that follows the feed in both ways. */
function follow(api: TestApi, claims: { role: string; email: string }, signal: AbortSignal) {
  const send = signIn(api, claims.role, claims.email);
  const token = api.issuer.token(claimsOf(claims.role, claims.email));
  const copies = [createCopy(), createCopy()] as const;
  const ends = [
    followByWaiting(send, copies[0], signal),
    followByStreams(api.url, token, copies[1], signal).catch((err) => {
      if (!signal.aborted) throw err;
    }),
  ];
  return { send, copies, ended: Promise.all(ends) };
}

function followedChanges(createDatabase: () => Promise<TestDatabase>, times: number): void {
  test('clients that follow while two processes write end with the same resources as the lists, and see no others', async () => {
    const database = await createDatabase();
    const api = await startApi({ storageUrl: database.storageUrl });
    const stop = new AbortController();
    const followers = [
      follow(api, { role: 'agent', email: 'grace@example.com' }, stop.signal),
      follow(api, { role: 'customer', email }, stop.signal),
    ];
    const write = () => runWriter(api, database.storageUrl, times);
    await Promise.all([write(), write()]);
    for (const { send, copies } of followers) {
      const lists = await readLists(send);
      for (const copy of copies) {
        await expect.poll(() => copy.resources()).toEqual(lists);
        expect(copy.deleted.size).toBeGreaterThan(0);
      }
    }
    const [ofStaff, ofCustomer] = await Promise.all(followers.map(({ send }) => readLists(send)));
    expect(Object.keys(ofCustomer ?? {}).length).toBeLessThan(Object.keys(ofStaff ?? {}).length);
    expect(JSON.stringify(ofCustomer)).not.toMatch(/a note|of another customer|vip/);
    stop.abort();
    await Promise.all(followers.map(({ ended }) => ended));
    await api.stop();
    await database.drop();
  });
}

describe('following the change feed on SQLite', () => followedChanges(createSqliteDatabase, 15));

describeWith('mongodb', 'following the change feed on MongoDB', (url) =>
  followedChanges(() => createMongoDatabase(url), 5),
);
