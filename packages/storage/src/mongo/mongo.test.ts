import { randomUUID } from 'node:crypto';
import { describeWith, startTcpProxy } from '@keydesk/testing';
import { type Connection, mongo, Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { guardMongo, isDuplicateKey, openMongo, QUERY_LIMIT_MS } from './mongo.ts';

/** Returns the URL of the same server behind a local port, with a direct connection. */
function throughPort(url: string, port: number): string {
  const behind = new URL(url);
  behind.host = `127.0.0.1:${port}`;
  behind.searchParams.set('directConnection', 'true');
  return behind.href;
}

const withOption = (url: string, option: string) =>
  url.includes('?') ? `${url}&${option}` : `${url.replace(/([^/])$/, '$1/')}?${option}`;

describe('opening MongoDB', () => {
  it('fails within seconds, with one line and without the password, when no server responds', async () => {
    const startedAt = performance.now();
    const opening = openMongo({ url: 'mongodb://user:s3cret@127.0.0.1:1/', database: 'notes' });
    const err = await opening.catch((reason: Error) => reason);
    expect(err).toMatchObject({
      code: 'unavailable',
      message: 'MongoDB cannot be used: connect ECONNREFUSED 127.0.0.1:1',
    });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it.each([
    'w=1',
    'journal=false',
    'readPreference=secondary',
    'readConcernLevel=local',
    'retryReads=false',
    'retryWrites=false',
  ])('refuses the option %s, which weakens its guarantees', async (option) => {
    const opening = openMongo({ url: `mongodb://127.0.0.1:1/?appName=x&${option}`, database: 'notes' });
    const [name] = option.split('=');
    await expect(opening).rejects.toThrow(`MongoDB cannot be used: the URL sets ${name}; remove it (`);
  });

  it('reports an invalid URL in one line', async () => {
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

describe('a failure below the storage', () => {
  const verdictOf = (err: Error) => guardMongo(() => Promise.reject(err)).catch((reason: unknown) => reason);
  const driverErrors = Object.entries(mongo).filter(([name, value]) => {
    const { prototype } = value as { prototype?: unknown };
    return name.endsWith('Error') && prototype instanceof mongo.MongoError;
  });

  it('is reported as unavailable for every error class of the driver', async () => {
    expect(driverErrors.length).toBeGreaterThan(30);
    for (const [name, { prototype }] of driverErrors as [string, { prototype: Error }][]) {
      const err = Object.create(prototype, { message: { value: name } }) as Error;
      expect(await verdictOf(err), name).toMatchObject({
        code: 'unavailable',
        retryAfterSeconds: 1,
        cause: err,
      });
    }
  });

  it.each([
    'EPIPE',
    'ECONNRESET',
    'ECONNABORTED',
    'ECONNREFUSED',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'EMFILE',
    'ENOTFOUND',
    'ERR_STREAM_DESTROYED',
    'ERR_STREAM_WRITE_AFTER_END',
    'ERR_STREAM_PREMATURE_CLOSE',
    'ERR_SOCKET_CLOSED',
    'ERR_SSL_BAD_RECORD_TYPE',
    'ABORT_ERR',
  ])('is unavailable for %s of a socket', async (code) => {
    const err = Object.assign(new Error('write failed'), { code });
    expect(await verdictOf(err)).toMatchObject({ code: 'unavailable', cause: err });
  });

  it.each(['ERR_INVALID_ARG_TYPE', 'ERR_OUT_OF_RANGE', undefined])(
    'stays a programming error with the code %s',
    async (code) => {
      const err = Object.assign(new TypeError('wrong type'), { code });
      expect(await verdictOf(err)).toBe(err);
    },
  );
});

it('reports a full disk of the server', async () => {
  const full = new mongo.MongoServerError({ code: 14_031, message: 'available disk space is too low' });
  const message = 'The storage is full or read-only; retry after its operator has made it writable.';
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

  it('writes with majority acknowledgement and journaling', () => {
    expect(connection.getClient().writeConcern).toMatchObject({ w: 'majority', journal: true });
    expect(connection.getClient().readConcern).toMatchObject({ level: 'majority' });
  });

  it('limits its connections and the wait for one, unless the URL does', async () => {
    const { origin, pathname } = new URL(url.replace(/^mongodb:/, 'http:'));
    const own = `${origin.replace(/^http:/, 'mongodb:')}${pathname}`;
    for (const [given, expected] of [
      [own, { maxPoolSize: 50, waitQueueTimeoutMS: 10_000 }],
      [withOption(own, 'maxPoolSize=7'), { maxPoolSize: 7, waitQueueTimeoutMS: 10_000 }],
    ] as const) {
      const opened = await openMongo({ url: given, database: 'storage' });
      expect(opened.getClient().options).toMatchObject(expected);
      await opened.close();
    }
  });

  it('limits the time of every query on the server', async () => {
    const monitored = await openMongo({ url: withOption(url, 'monitorCommands=true'), database: 'storage' });
    const limits: unknown[] = [];
    monitored.getClient().on('commandStarted', ({ command }) => limits.push(command.maxTimeMS));
    await monitored.model('Note', noteSchema, 'notes').find().lean();
    expect(limits).toEqual([QUERY_LIMIT_MS]);
    await monitored.close();
  });

  it('treats an operator in input as a value', async () => {
    const notes = connection.model('Note');
    await notes.create({ text: 'secret' });
    const text = { $ne: 'x' };
    await expect(notes.findOne({ text })).rejects.toMatchObject({ name: 'CastError' });
    await expect(notes.findOne({ $where: 'true' })).rejects.toThrow('$where is not allowed');
  });

  it('passes a duplicate key error through', async () => {
    const notes = connection.model('Note');
    await notes.create({ text: 'once' });
    const err = await guardMongo(() => notes.create({ text: 'once' })).catch((reason: unknown) => reason);
    expect(isDuplicateKey(err)).toBe(true);
    expect([isDuplicateKey(err, 'text_1'), isDuplicateKey(err, '_id_')]).toEqual([true, false]);
    expect(isDuplicateKey(new Error('another'))).toBe(false);
  });

  it('passes a programming error through', async () => {
    const notes = connection.model('Note');
    const unknownField = guardMongo(() => notes.create({ colour: 'red' }));
    await expect(unknownField).rejects.toMatchObject({ name: 'StrictModeError' });
  });

  it('reports a server error as unavailable with the driver error as cause', async () => {
    const slow = guardMongo(() => connection.model('Note').find().hint('no such index').exec());
    await expect(slow).rejects.toMatchObject({ code: 'unavailable', cause: { name: 'MongoServerError' } });
  });

  it('reports a hanging server as unavailable within seconds, and recovers with it', async () => {
    const proxy = await startTcpProxy(Number(new URL(url).port));
    const behind = await openMongo({ url: throughPort(url, proxy.port), database: 'storage' });
    onTestFinished(async () => {
      await behind.close();
      await proxy.close();
    });
    const notes = behind.model('Note', noteSchema, 'notes');
    const find = () => guardMongo(() => notes.findOne().exec());
    await find();
    await proxy.delay(60_000);
    const startedAt = performance.now();
    await expect(find()).rejects.toMatchObject({ code: 'unavailable' });
    // A third of that on an idle machine.
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    await proxy.delay(0);
    await proxy.cut();
    await expect.poll(() => find().then(() => 'works', String)).toBe('works');
  });

  it('reports a closed connection as unavailable', async () => {
    const closed = await openMongo({ url, database: 'storage' });
    const notes = closed.model('Note', noteSchema, 'notes');
    await closed.close();
    await expect(guardMongo(() => notes.findOne().exec())).rejects.toMatchObject({ code: 'unavailable' });
  });
});
