import { randomUUID } from 'node:crypto';
import { describeWith, startSlowProxy } from '@keydesk/testing';
import { type Connection, mongo, Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { guardMongo, isDuplicateKey, openMongo, QUERY_LIMIT_MS } from './mongo.ts';

/** The same server by way of a port of this machine, which is all that the driver shall know of it. */
function throughPort(url: string, port: number): string {
  const behind = new URL(url);
  behind.host = `127.0.0.1:${port}`;
  behind.searchParams.set('directConnection', 'true');
  return behind.href;
}

const withOption = (url: string, option: string) =>
  url.includes('?') ? `${url}&${option}` : `${url.replace(/([^/])$/, '$1/')}?${option}`;

describe('opening MongoDB', () => {
  it('says within seconds, in one line and without the password, that nobody answers', async () => {
    const startedAt = performance.now();
    const opening = openMongo({ url: 'mongodb://user:s3cret@127.0.0.1:1/', database: 'notes' });
    const err = await opening.catch((reason: Error) => reason);
    expect(err).toMatchObject({ message: 'MongoDB cannot be used: connect ECONNREFUSED 127.0.0.1:1' });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('says in one line what is wrong with the URL', async () => {
    const faulty = ['mongodb://', 'http://127.0.0.1/', 'mongodb://127.0.0.1/?colour=red'];
    const messages = await Promise.all(
      faulty.map((url) => openMongo({ url, database: 'notes' }).catch((err: Error) => err.message)),
    );
    expect(messages).toEqual([
      expect.stringMatching(/^MongoDB cannot be used: Protocol and host list are required/),
      expect.stringMatching(/^MongoDB cannot be used: Invalid scheme/),
      expect.stringMatching(/^MongoDB cannot be used: option colour is not supported/),
    ]);
  });
});

it('a socket that the server has hung up on is reported as unavailable', async () => {
  const hungUp = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
  const writing = guardMongo(() => Promise.reject(hungUp));
  await expect(writing).rejects.toMatchObject({ code: 'unavailable', cause: { code: 'EPIPE' } });
});

it('a server without room is reported in words', async () => {
  const full = new mongo.MongoServerError({ code: 14_031, message: 'available disk space is too low' });
  const message = 'Nothing can be stored right now, because the storage is full.';
  await expect(guardMongo(() => Promise.reject(full))).rejects.toMatchObject({
    code: 'unavailable',
    message,
  });
});

describeWith('mongodb', 'an open MongoDB', (url) => {
  const noteSchema = new Schema({ text: String }, { strict: 'throw', versionKey: false });
  let connection: Connection;

  beforeAll(async () => {
    connection = await openMongo({ url, database: `storage-${randomUUID().slice(0, 8)}` });
    await connection.model('Note', noteSchema, 'notes').collection.createIndex({ text: 1 }, { unique: true });
  });
  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  it('writes with the acknowledgement and the journal of a majority', () => {
    expect(connection.getClient().writeConcern).toMatchObject({ w: 'majority', journal: true });
    expect(connection.getClient().readConcern).toMatchObject({ level: 'majority' });
  });

  it('bounds the time of every query on the server', async () => {
    const monitored = await openMongo({ url: withOption(url, 'monitorCommands=true'), database: 'storage' });
    const limits: unknown[] = [];
    monitored.getClient().on('commandStarted', ({ command }) => limits.push(command.maxTimeMS));
    await monitored.model('Note', noteSchema, 'notes').find().lean();
    expect(limits).toEqual([QUERY_LIMIT_MS]);
    await monitored.close();
  });

  it('takes an operator that comes in as a value for a value', async () => {
    const notes = connection.model('Note');
    await notes.create({ text: 'secret' });
    const text = { $ne: 'x' };
    await expect(notes.findOne({ text })).rejects.toMatchObject({ name: 'CastError' });
    await expect(notes.findOne({ $where: 'true' })).rejects.toThrow('$where is not allowed');
  });

  it('leaves a duplicate key to its domain', async () => {
    const notes = connection.model('Note');
    await notes.create({ text: 'once' });
    const err = await guardMongo(() => notes.create({ text: 'once' })).catch((reason: unknown) => reason);
    expect(isDuplicateKey(err)).toBe(true);
    expect([isDuplicateKey(err, 'text_1'), isDuplicateKey(err, '_id_')]).toEqual([true, false]);
    expect(isDuplicateKey(new Error('another'))).toBe(false);
  });

  it('leaves a bug a bug', async () => {
    const notes = connection.model('Note');
    const unknownField = guardMongo(() => notes.create({ colour: 'red' }));
    await expect(unknownField).rejects.toMatchObject({ name: 'StrictModeError' });
  });

  it("reports a failure of the server as unavailable, with the driver's error as the cause", async () => {
    const slow = guardMongo(() => connection.model('Note').find().hint('no such index').exec());
    await expect(slow).rejects.toMatchObject({ code: 'unavailable', cause: { name: 'MongoServerError' } });
  });

  it('reports a server that stands still as unavailable within seconds, and works again when it does', async () => {
    const proxy = await startSlowProxy(Number(new URL(url).port));
    const behind = await openMongo({ url: throughPort(url, proxy.port), database: 'storage' });
    onTestFinished(async () => {
      await behind.close();
      proxy.close();
    });
    const notes = behind.model('Note', noteSchema, 'notes');
    const find = () => guardMongo(() => notes.findOne().exec());
    await find();
    proxy.delay(60_000);
    const startedAt = performance.now();
    await expect(find()).rejects.toMatchObject({ code: 'unavailable' });
    // A third of that, on a machine that has nothing else to do.
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    proxy.delay(0);
    proxy.cut();
    await expect.poll(() => find().then(() => 'works', String)).toBe('works');
  });

  it('reports a closed connection as unavailable', async () => {
    const closed = await openMongo({ url, database: 'storage' });
    const notes = closed.model('Note', noteSchema, 'notes');
    await closed.close();
    await expect(guardMongo(() => notes.findOne().exec())).rejects.toMatchObject({ code: 'unavailable' });
  });
});
