import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openMongo } from '@keydesk/storage/mongo';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import { describeWith } from '@keydesk/testing';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  authorize,
  createRequest,
  type Journey,
  obtainTokens,
  startJourney,
} from '../../../tests/people.fixture.ts';
import { startTestServer, type TestServer } from '../../../tests/test-server.fixture.ts';
import { openStorage } from '../../open-storage.ts';
import type { Storage } from '../../storage.ts';
import { createMongoDatabase, type TestDatabase } from '../../test-database.fixture.ts';
import { createMongoArtifactStore } from './artifacts.ts';

/** Limit of 10 s, plus time for a busy machine. */
const LIMIT_MS = 25_000;
const UNAVAILABLE = { status: 503, retryAfter: '1', error: 'temporarily_unavailable' };

describeWith('mongodb', 'documents locked by a transaction of another process in MongoDB', (url) => {
  let database: TestDatabase;
  let connection: Connection;
  let storage: Storage;
  let server: TestServer;
  let journey: Journey;
  const name = () => database.location.database ?? '';

  beforeAll(async () => {
    database = await createMongoDatabase(url);
    connection = await openMongo({ url, database: name() });
    storage = await openStorage(database.location);
    server = await startTestServer(storage);
    journey = await startJourney(server, { type: 'native' });
  });
  afterAll(async () => {
    await server.stop();
    await Promise.all([storage.close(), connection.close()]);
    await database.drop();
  });

  const artifacts = () => connection.collection<{ _id: string }>('artifacts');

  /** Returns the ids of the usable artifacts of a model. */
  async function idsOf(model: string): Promise<string[]> {
    const live = { _id: new RegExp(`^${model}:`) as never, consumedAt: { $exists: false } };
    return (await artifacts().find(live).toArray()).map(({ _id }) => _id);
  }

  /** Locks a document until the returned function is called. */
  async function hold(_id: string): Promise<() => Promise<void>> {
    const session = await connection.startSession();
    session.startTransaction();
    await artifacts().updateOne({ _id }, { $set: { isHeld: true } }, { session });
    return async () => {
      await session.abortTransaction();
      await session.endSession();
    };
  }

  async function requestToken(form: Record<string, string>) {
    const startedAt = performance.now();
    const response = await server.requestToken({ client_id: journey.clientId, ...form });
    expect(performance.now() - startedAt).toBeLessThan(LIMIT_MS);
    const { error } = (await response.json()) as { error?: string };
    return { status: response.status, retryAfter: response.headers.get('retry-after'), error };
  }

  const refresh = async (token = '') => requestToken({ grant_type: 'refresh_token', refresh_token: token });

  /** Runs a whole flow and returns the refresh token and its id. */
  async function obtain() {
    const before = await idsOf('RefreshToken');
    const tokens = await obtainTokens(journey);
    const [id = ''] = (await idsOf('RefreshToken')).filter((each) => !before.includes(each));
    return { token: tokens.refresh_token, id };
  }

  it('make a refresh respond with 503 within the limit, and the next one succeeds', {
    timeout: 60_000,
  }, async () => {
    const { token, id } = await obtain();
    const release = await hold(id);
    expect(await refresh(token)).toEqual(UNAVAILABLE);
    await release();
    expect(await refresh(token)).toMatchObject({ status: 200 });
  });

  it('make the redemption of a code respond with 503 within the limit', { timeout: 60_000 }, async () => {
    const request = await createRequest(journey);
    const callback = await authorize(journey, request);
    const [id = ''] = await idsOf('AuthorizationCode');
    const release = await hold(id);
    const form = {
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      code_verifier: request.verifier,
      redirect_uri: 'https://app.example/callback',
    };
    expect(await requestToken(form)).toEqual(UNAVAILABLE);
    await release();
    expect(await requestToken(form)).toMatchObject({ status: 200 });
  });

  it('make a revocation respond with 503 within the limit, and the next one succeeds (RFC 7009 §2.2.1)', {
    timeout: 60_000,
  }, async () => {
    const { token = '', id } = await obtain();
    const release = await hold(id);
    const revoke = () =>
      fetch(`${server.url}/token/revocation`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: journey.clientId, token }),
      });
    const startedAt = performance.now();
    const { status, headers } = await revoke();
    expect(performance.now() - startedAt).toBeLessThan(LIMIT_MS);
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    await release();
    expect((await revoke()).status).toBe(200);
    expect(await refresh(token)).toMatchObject({ status: 400, error: 'invalid_grant' });
  });

  it('are released for the retry of a refresh whose process was killed before its commit', {
    timeout: 60_000,
  }, async () => {
    const { token, id } = await obtain();
    const program = join(import.meta.dirname, 'killed-in-redeem.main.fixture.ts');
    const monitored = new URL(url);
    monitored.searchParams.set('monitorCommands', 'true');
    const killed = fork(program, [monitored.href, name(), id.replace(/^RefreshToken:/, '')], {
      execArgv: [],
    });
    expect(await once(killed, 'exit')).toEqual([null, 'SIGKILL']);
    expect(await refresh(token)).toMatchObject({ status: 200 });
  });

  it('never block an update or a deletion without a time limit', async () => {
    // The MongoDB stand-in deadlocks when one deletion selects several documents, so the limit is read from the commands.
    const monitored = new URL(url);
    monitored.searchParams.set('monitorCommands', 'true');
    const watched = await openMongo({ url: monitored.href, database: name() });
    const unlimited: string[] = [];
    watched.getClient().on('commandStarted', ({ commandName, command }) => {
      const isWrite = ['update', 'delete', 'findAndModify'].includes(commandName);
      if (isWrite && command.maxTimeMS === undefined) unlimited.push(JSON.stringify(command));
    });
    const store = createMongoArtifactStore(watched, createTransactions(watched));
    const now = new Date();
    const artifact = { model: 'RefreshToken', key: 'key', payload: new Uint8Array(), grantKey: 'grant' };
    await store.upsert({ ...artifact, accountId: 'account' });
    await store.redeem('key', now, { issued: { ...artifact, key: 'next' } });
    await store.insertOnce({ ...artifact, key: 'once' }, now);
    await store.consume('RefreshToken', 'next', now);
    await store.destroy('RefreshToken', 'once');
    await store.revokeGrant('grant', now);
    await store.revokeAccount('account', now);
    await store.revokeClient('client', now);
    await store.purgeExpired(now, 10);
    await watched.close();
    expect(unlimited).toEqual([]);
  });
});
