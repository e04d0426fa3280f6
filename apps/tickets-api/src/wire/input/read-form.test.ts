import { measureCpuMs } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { readForm } from './read-form.ts';

/** Reads a form into plain objects, which are easier to compare. */
function read(text: string): unknown {
  return JSON.parse(JSON.stringify(readForm(text)));
}

function expectMalformed(text: string, field?: string): void {
  const errors = field === undefined ? [] : [expect.objectContaining({ field })];
  expect(() => readForm(text)).toThrow(expect.objectContaining({ code: 'malformed_body', errors }));
}

describe('a form body (application/x-www-form-urlencoded)', () => {
  it('reads members, lists and keys in brackets', () => {
    expect(
      read('subject=a&requester[email]=b&tags[]=c&tags%5B%5D=d&custom_fields[x][]=e&deep[a][b]=f'),
    ).toEqual({
      subject: 'a',
      requester: { email: 'b' },
      tags: ['c', 'd'],
      custom_fields: { x: ['e'] },
      deep: { a: { b: 'f' } },
    });
  });

  it('decodes percent-encoding and plus signs once', () => {
    expect(read('a=1+%2B+2&b=%E2%82%AC&%C3%BC=%2541&c=x=y=z')).toEqual({
      a: '1 + 2',
      b: '€',
      ü: '%41',
      c: 'x=y=z',
    });
  });

  it('may be empty and have empty values and pairs', () => {
    expect(read('')).toEqual({});
    expect(read('&a=&&b&')).toEqual({ a: '', b: '' });
  });
});

describe('readForm rejects', () => {
  it.each(['a=%', 'a=%4', 'a=%zz', '%=a', 'a=%FF', 'a=%C3%28', 'a=%ED%A0%80'])(
    'a malformed encoding: %s',
    (text) => expectMalformed(text),
  );

  it.each(['=a', '[a]=b', 'a[=b', 'a]=b', 'a[b=c', 'a[b]c=d', 'a[][b]=c', 'a[][]=b', 'a[[b]]=c', '[]=a'])(
    'a malformed name: %s',
    (text) => expectMalformed(text),
  );

  it.each([
    ['a=1&a=2', 'a'],
    ['a=1&a=1', 'a'],
    ['r[e]=1&r[e]=2', 'r.e'],
    ['a=1&a[]=2', 'a'],
    ['a[]=1&a=2', 'a'],
    ['a=1&a[b]=2', 'a.b'],
    ['a[b]=1&a=2', 'a'],
    ['a[]=1&a[b]=2', 'a.b'],
    ['a[b]=1&a[]=2', 'a'],
  ])('a field that is given twice: %s', (text, field) => expectMalformed(text, field));

  it.each([
    ['__proto__=1', '__proto__'],
    ['__proto__[x]=1', '__proto__.x'],
    ['a[constructor]=1', 'a.constructor'],
    ['a[prototype][]=1', 'a.prototype[""]'],
    ['toString=1', 'toString'],
  ])('a name of Object.prototype: %s', (text, field) => expectMalformed(text, field));

  it.each(['{"subject":"a=b"}', ' [{}]', '<ticket><subject>x</subject></ticket>'])(
    'JSON and XML sent with the default Content-Type of a client: %s',
    (text) => expect(() => readForm(text)).toThrow(/Content-Type/),
  );

  it('more than 32 levels', () => {
    expect(() => readForm(`a${'[b]'.repeat(31)}=1`)).not.toThrow();
    expectMalformed(`a${'[b]'.repeat(32)}=1`);
    expectMalformed(`a${'[b]'.repeat(200_000)}=1`);
  });
});

describe('the number of values in a form', () => {
  it('is at most 25,000', () => {
    expect(() => readForm('a[]=1&'.repeat(25_000))).not.toThrow();
    expectMalformed('a[]=1&'.repeat(25_001));
  });
});

describe('the time to read a form', () => {
  it.each([
    ['very many fields', Array.from({ length: 120_000 }, (_, i) => `a${i}=`).join('&')],
    ['very many members of a list', 'a[]=1&'.repeat(150_000)],
    ['very many ampersands', '&'.repeat(1_000_000)],
    ['very many equals signs', '='.repeat(1_000_000)],
    ['very many brackets', '['.repeat(1_000_000)],
  ])('is linear in its size: %s', (_, text) => {
    const cpuMs = measureCpuMs(() => {
      try {
        readForm(text);
      } catch (err) {
        expect(err).toMatchObject({ code: 'malformed_body' });
      }
    });
    expect(cpuMs).toBeLessThan(5000);
  });
});
