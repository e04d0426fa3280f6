import { measureCpuMs } from '@keydesk/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from './read-json.ts';

const malformed = (message: RegExp, field?: string) =>
  expect.objectContaining({
    code: 'malformed_body',
    message: expect.stringMatching(message),
    errors: field === undefined ? [] : [expect.objectContaining({ field })],
  });

describe('a JSON body (RFC 8259)', () => {
  it('is parsed like JSON.parse', () => {
    const reserved = [...Object.getOwnPropertyNames(Object.prototype), 'prototype'].map(
      (name) => `"${name}":`,
    );
    const value = fc
      .jsonValue()
      .filter((any) => !reserved.some((name) => JSON.stringify(any).includes(name)));
    fc.assert(
      fc.property(value, (any) => {
        const text = JSON.stringify({ any }, null, 1);
        expect(readJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('must be an object', () => {
    for (const text of ['[]', '"a"', '1', 'null', 'true'])
      expect(() => readJson(text)).toThrow(malformed(/object/));
  });

  it.each([
    '',
    ' ',
    '{',
    '{"a":1,}',
    '{"a":01}',
    "{'a':1}",
    '{"a":"\t"}',
    '{"a":1} x',
    '{}{}',
    '{"a',
    '{"a\\',
    'NaN',
    '\u0000',
  ])('is rejected when it is not JSON: %j', (text) => {
    expect(() => readJson(text)).toThrow(malformed(/not JSON/));
  });

  it('is rejected when an object repeats a name, even in escaped form', () => {
    expect(() => readJson('{"a":1,"b":{"a":1},"a":2}')).toThrow(malformed(/a is given more than once/, 'a'));
    expect(() => readJson('{"a":1,"\\u0061":2}')).toThrow(malformed(/more than once/, 'a'));
    expect(() => readJson('{"x":[{},{"a":[1,{"b":1}],"a":"b"}]}')).toThrow(
      malformed(/more than once/, 'x[1].a'),
    );
  });

  it('may have the same name in different objects, and strings that look like names or brackets', () => {
    const text = '{"a":{"a":"a"},"b":[{"a":1},{"a":",\\"a\\":[[[{{{"}],"c":"a","d":["a","a"]}';
    expect(readJson(text)).toEqual(JSON.parse(text));
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '\\u005f_proto__'])(
    'is rejected for the name %s at any depth',
    (name) => {
      expect(() => readJson(`{"a":[{"${name}":1}]}`)).toThrow(
        malformed(/reserved name/, `a[0].${JSON.parse(`"${name}"`)}`),
      );
    },
  );
});

describe('the nesting of a JSON body', () => {
  it('is limited to 32 levels', () => {
    expect(() => readJson(`{"a":${'['.repeat(31)}${']'.repeat(31)}}`)).not.toThrow();
    expect(() => readJson(`{"a":${'['.repeat(32)}${']'.repeat(32)}}`)).toThrow(malformed(/deeper than 32/));
  });

  it('is checked before recursion: 200,000 levels are rejected at once', () => {
    const cpuMs = measureCpuMs(() => {
      for (const open of ['[', '{"a":']) {
        expect(() => readJson(open.repeat(200_000))).toThrow(malformed(/deeper than 32/));
      }
    });
    expect(cpuMs).toBeLessThan(5000);
  });

  it('does not count brackets in strings', () => {
    expect(() => readJson(JSON.stringify({ a: '[{'.repeat(1000) }))).not.toThrow();
  });
});

describe('the number of values in a JSON body', () => {
  it('is at most 25,000', () => {
    const list = (length: number) => JSON.stringify({ a: Array.from({ length }, () => 1) });
    expect(() => readJson(list(24_999))).not.toThrow();
    expect(() => readJson(list(25_001))).toThrow(malformed(/more than 25000 values/));
  });
});

describe('the time to read a JSON body', () => {
  it.each([
    ['an endless string of escapes', `{"a":"${'\\"'.repeat(500_000)}`],
    ['nothing but quotes', '"'.repeat(1_000_000)],
    ['very many names', `{${Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`).join()}}`],
    ['very many commas', `{"a":[${'1,'.repeat(500_000)}1]}`],
  ])('is linear in its size: %s', (_, text) => {
    const cpuMs = measureCpuMs(() => {
      try {
        readJson(text);
      } catch (err) {
        expect(err).toEqual(malformed(/./));
      }
    });
    expect(cpuMs).toBeLessThan(5000);
  });
});
