import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { faultsOf, form, json, xml } from '../bodies.fixture.ts';
import { example, exampleSchema } from '../example-ticket.fixture.ts';
import { createInputParser } from './input.ts';

describe('a body with faults', () => {
  it('is rejected with field, code and message of every fault', () => {
    const faults = faultsOf(
      exampleSchema,
      json({
        ...example,
        id: 'x',
        subject: undefined,
        description: 5,
        status: 'odd',
        type: undefined,
        requester: { email: 'no-address', name: 'x'.repeat(201), age: 5 },
        cc: [{ email: 'a@example.com', name: null }, null],
        tags: ['a', 'b', 5],
        custom_fields: { a: {}, b: ['x', 1] },
        external_id: 7,
        is_public: 'true',
        due_at: 'tomorrow',
        version: 0,
        surprise: true,
        'sur prise': true,
      }),
    );
    expect(faults.sort()).toEqual(
      [
        'id invalid_format must be a UUID',
        'subject required is required',
        'description invalid_type must be text',
        'status invalid_value must be one of new, open, on hold',
        'type required is required',
        'requester.email invalid_format must be an e-mail address',
        'requester.name too_long must have at most 200 characters',
        'requester.age unknown_field is not a known field',
        'cc[1] invalid_type must be an object',
        'tags[2] invalid_type must be text',
        'custom_fields.a invalid_type must be text, a number, true or false, a list or null',
        'custom_fields.b[1] invalid_type must be text',
        'external_id invalid_type must be text',
        'is_public invalid_type must be true or false',
        'due_at invalid_format must be an RFC 3339 time such as 2026-01-31T09:00:00.000Z',
        'version too_small must be at least 1',
        'surprise unknown_field is not a known field',
        '["sur prise"] unknown_field is not a known field',
      ].sort(),
    );
  });

  it('is described by the messages of the schema', () => {
    const schema = z.strictObject({
      tags: z.array(z.string().regex(/^\S+$/, 'must not contain white space')).meta({ item: 'tag' }),
      map: z.record(z.string().regex(/^[a-z]+$/, 'must be lower-case letters'), z.string()),
      odd: z.int().refine((number) => number % 2 === 1, 'must be odd'),
    });
    expect(faultsOf(schema, json({ tags: ['a b'], map: { A: 'x' }, odd: 2 }))).toEqual([
      'tags[0] invalid_format must not contain white space',
      'map.A invalid_name must be lower-case letters',
      'odd invalid_value must be odd',
    ]);
  });

  it('is rejected with the exceeded bound', () => {
    const schema = z.object({
      a: z.string().min(1),
      b: z.string().min(3),
      c: z.array(z.string()).min(1).max(2).meta({ item: 'i' }),
      d: z.number().max(5),
      e: z.number().lt(5),
      f: z.int(),
      g: z.number().multipleOf(5),
    });
    expect(faultsOf(schema, json({ a: '', b: 'x', c: ['x', 'x', 'x'], d: 6, e: 5, f: 1.5, g: 6 }))).toEqual([
      'a too_short must not be empty',
      'b too_short must have at least 3 characters',
      'c too_long must have at most 2 items',
      'd too_large must be at most 5',
      'e too_large must be less than 5',
      'f invalid_type must be a whole number',
      'g invalid_value must be a multiple of 5',
    ]);
  });

  it('is rejected with at most 100 faults, and the number of the others', () => {
    const surprises = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x${i}`, 1]));
    const body = json({ ...example, ...surprises });
    expect(faultsOf(exampleSchema, body)).toHaveLength(100);
    expect(() => createInputParser(exampleSchema)(body)).toThrow(/50 more/);
  });

  it('is rejected with truncated names', () => {
    const [fault = ''] = faultsOf(z.strictObject({}), json({ ['x'.repeat(100_000)]: 1 }));
    expect(fault.length).toBeLessThan(200);
  });
});

describe('text that XML 1.0 cannot represent (§2.2)', () => {
  const schema = exampleSchema.partial();

  it.each(['\0', '\u0001', '\u000B', '\u001F', '\uFFFE', '\uFFFF', '\uD800', 'x\uDFFFx'])(
    'is rejected in every format: %j',
    (text) => {
      const expected = (field: string) => [expect.stringMatching(`^${field} invalid_text `)];
      expect(faultsOf(schema, json({ subject: text }))).toEqual(expected('subject'));
      expect(faultsOf(schema, json({ requester: { email: 'a@example.com', name: text } }))).toEqual(
        expected('requester.name'),
      );
      expect(faultsOf(schema, json({ tags: ['a', text] }))).toEqual(expected('tags\\[1\\]'));
      expect(faultsOf(schema, json({ custom_fields: { a: ['b', text] } }))).toEqual(
        expected('custom_fields.a\\[1\\]'),
      );
      expect(faultsOf(schema, json({ labels: { [`k${text}`]: 'a' } }))).toHaveLength(1);
      expect(faultsOf(schema, xml(`<subject>${text}</subject>`))).toEqual(expected('subject'));
      if (text.isWellFormed()) {
        expect(faultsOf(schema, form(`subject=${encodeURIComponent(text)}`))).toEqual(expected('subject'));
      }
    },
  );

  it('is the only text that is rejected', () => {
    const subject = '\t\n\r \u007F\u0085\uD7FF\uE000\uFFFD\u{10000}\u{10FFFF}😀';
    expect(createInputParser(schema)(json({ subject }))).toEqual({ subject });
  });
});

describe('an input parser', () => {
  it('applies defaults and transforms of the schema', () => {
    const schema = z.strictObject({
      email: z.email().transform((address) => address.toLowerCase()),
      count: z.int().default(7),
      at: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
      words: z
        .array(z.string())
        .meta({ item: 'word' })
        .transform((words) => words.join(' ')),
    });
    const parse = createInputParser(schema);
    const content =
      '<email>A@Example.com</email><at>2026-01-31T10:00:00+01:00</at><words><word>a</word><word>b</word></words>';
    expect(parse(xml(content))).toEqual({
      email: 'a@example.com',
      count: 7,
      at: new Date('2026-01-31T09:00:00Z'),
      words: 'a b',
    });
  });
});
