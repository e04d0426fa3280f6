import { fileURLToPath } from 'node:url';
import { startProgram } from '@keydesk/testing';
import { pino, stdSerializers } from 'pino';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../index.ts';

function writtenBy(write: (log: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  write(createLogger({ name: 'test', level: 'debug', isPretty: false, destination }));
  return lines.join('');
}

describe('the log', () => {
  it('writes one JSON object per line with program, level and time', () => {
    const lines = writtenBy((log) => {
      log.info({ a: 1 }, 'first');
      log.error('second');
    });
    const [first, second] = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ name: 'test', level: 30, a: 1, msg: 'first', time: expect.any(Number) });
    expect(second).toMatchObject({ level: 50, msg: 'second' });
  });

  it.each([
    ['at the top level', { client_secret: 'hunter2' }],
    ['in a header', { request: { headers: { Authorization: 'Basic hunter2', cookie: 'hunter2' } } }],
    ['in a list', { bodies: [{ password: 'hunter2' }, { token: 'hunter2' }] }],
    ['deeply nested', { a: { b: { c: { d: { refresh_token: 'hunter2' } } } } }],
    ['in bytes on an error', { err: Object.assign(new Error('x'), { rawPacket: Buffer.from('hunter2') }) }],
    ['on an error', { err: Object.assign(new Error('x'), { config: { client_assertion: 'hunter2' } }) }],
  ])('redacts a secret %s', (_, data) => {
    const line = writtenBy((log) => log.info(data));
    expect(line).not.toContain('hunter2');
    expect(line).not.toContain([...Buffer.from('hunter2')].join());
    expect(line).toContain('[redacted]');
  });

  it.each(['exits', 'fails'])('is complete when the program %s', async (how) => {
    const script = fileURLToPath(new URL('./last-line.main.fixture.ts', import.meta.url));
    const { stdout } = await startProgram(script, { args: [how] }).ended;
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['first', 'last']);
  });

  const circular: Record<string, unknown> = { name: 'round' };
  circular.self = circular;
  it.each([
    ['only a message', undefined, 'said "so"\n'],
    ['no message', { a: 1 }, undefined],
    ['an empty object', {}, 'empty'],
    ['members without a value', { a: undefined, b: null, c: () => 1 }, 'some'],
    ['numbers that JSON does not have', { a: Number.NaN, b: 1n }, 'numbers'],
    ['a cycle', circular, 'round'],
    [
      'a list, a date and control characters',
      { a: [1, undefined], b: new Date(0), c: '\u0001\u2028"' },
      'all',
    ],
    ['an error', { err: new RangeError('too far') }, 'failed'],
    ['an error and no message', { err: new RangeError('too far') }, undefined],
  ])('writes %s as pino does, also in a child logger', (_, data, message) => {
    const lines: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const ours = createLogger({ name: 'test', level: 'info', isPretty: false, destination });
    const theirs = pino({ name: 'test', serializers: { err: stdSerializers.err } }, destination);
    for (const log of [ours, theirs]) {
      log.info(data, message);
      log.child({ request_id: 'x' }).warn(data, message);
    }
    const [own, ownChild, other, otherChild] = lines.map((line) => ({ ...line, time: expect.any(Number) }));
    expect(own).toEqual(other);
    expect(ownChild).toEqual(otherChild);
  });

  it('does not modify the logged object', () => {
    const data = { nested: { password: 'hunter2' } };
    writtenBy((log) => log.info(data));
    expect(data.nested.password).toBe('hunter2');
  });

  it('contains type, message, stack, code and causes of an error', () => {
    const cause = Object.assign(new Error('no connection'), { code: 'ECONNREFUSED' });
    const line = writtenBy((log) => log.error({ err: new TypeError('outer', { cause }) }));
    expect(JSON.parse(line).err).toMatchObject({ type: 'TypeError', message: 'outer: no connection' });
    expect(line).toContain('logger.test.ts');
    expect(writtenBy((log) => log.error({ err: cause }))).toContain('ECONNREFUSED');
  });
});
