import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { example, exampleSchema } from './example-ticket.fixture.ts';
import { type Body, createInputParser } from './input.ts';
import { readForm } from './read-form.ts';
import { readXml } from './read-xml.ts';

const json = (value: unknown): Body => ({ format: 'json', value });
const xml = (content: string): Body => ({
  format: 'xml',
  value: readXml(`<ticket>${content}</ticket>`, 'ticket'),
});
const form = (text: string): Body => ({ format: 'form', value: readForm(text) });

/** The faults of a body as `field code message`. */
function faultsOf(schema: z.ZodType, body: Body): string[] {
  try {
    createInputParser(schema)(body);
  } catch (err) {
    expect(err).toMatchObject({ code: 'validation_failed' });
    const { errors } = err as { errors: { field: string; code: string; message: string }[] };
    return errors.map(({ field, code, message }) => `${field} ${code} ${message}`);
  }
  return [];
}

describe('a body with faults', () => {
  it('is refused with every fault at once: field, code and message', () => {
    const faults = faultsOf(
      exampleSchema,
      json({
        ...example,
        id: 'x',
        subject: undefined,
        description: 5,
        status: 'odd',
        type: undefined,
        requester: { email: 'nobody', name: 'x'.repeat(201), age: 5 },
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

  it('is told in the words of the schema where it has some', () => {
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

  it('says what the bounds are', () => {
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

  it('shows at most a hundred of them, and says how many there are', () => {
    const surprises = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x${i}`, 1]));
    const body = json({ ...example, ...surprises });
    expect(faultsOf(exampleSchema, body)).toHaveLength(100);
    expect(() => createInputParser(exampleSchema)(body)).toThrow(/50 more/);
  });

  it('does not come back in the answer with names of any length', () => {
    const [fault = ''] = faultsOf(z.strictObject({}), json({ ['x'.repeat(100_000)]: 1 }));
    expect(fault.length).toBeLessThan(200);
  });
});

describe('no type is guessed', () => {
  const schema = z.strictObject({ text: z.string(), count: z.int(), yes: z.boolean() });

  it('JSON says its types, and they stay', () => {
    expect(createInputParser(schema)(json({ text: '5', count: 5, yes: true }))).toEqual({
      text: '5',
      count: 5,
      yes: true,
    });
    expect(faultsOf(schema, json({ text: 5, count: '5', yes: 'true' }))).toHaveLength(3);
  });

  it('XML and forms are text, which the schema makes numbers and booleans of', () => {
    const parse = createInputParser(schema);
    const expected = { text: '5', count: 5, yes: true };
    expect(parse(xml('<text>5</text><count>5</count><yes>true</yes>'))).toEqual(expected);
    expect(parse(form('text=5&count=5&yes=true'))).toEqual(expected);
    expect(parse(xml('<text>true</text><count>-0</count><yes>false</yes>'))).toMatchObject({
      text: 'true',
      yes: false,
    });
  });

  it.each(['', ' 5', '5 ', '+5', '05', '0x5', '1e999', 'Infinity', 'NaN', '5,0', '٥'])(
    '%j is not a whole number',
    (text) => {
      const expected = ['count invalid_type must be a whole number'];
      const loose = expect.arrayContaining([
        expect.stringMatching(/^count invalid_type must be a (whole )?number$/),
      ]);
      expect(faultsOf(schema, xml(`<text/><count>${text}</count><yes>true</yes>`))).toEqual(loose);
      expect(faultsOf(schema, form(`text=&yes=true&count=${encodeURIComponent(text)}`))).toHaveLength(
        expected.length,
      );
    },
  );

  it.each(['', '1', 'True', 'yes', 'on', ' true'])('%j is not a boolean', (text) => {
    expect(faultsOf(schema, xml(`<text/><count>1</count><yes>${text}</yes>`))).toEqual([
      'yes invalid_type must be true or false',
    ]);
    expect(faultsOf(schema, form(`text=&count=1&yes=${text}`))).toHaveLength(1);
  });
});

describe('XML against a schema', () => {
  const schema = exampleSchema.partial();
  const parse = createInputParser(schema);

  it('nil="true" is null, an empty element is empty text, an absent one is absent', () => {
    expect(parse(xml('<external_id nil="true"/><description/><note nil="false">x</note>'))).toEqual({
      external_id: null,
      description: '',
      note: 'x',
    });
  });

  it('an empty wrapper is an empty list or map, with white space in it too', () => {
    expect(parse(xml('<tags/><cc>\n</cc><custom_fields> </custom_fields><labels/>'))).toEqual({
      tags: [],
      cc: [],
      custom_fields: {},
      labels: {},
    });
  });

  it.each([
    ['<subject>a</subject><subject>b</subject>', 'subject duplicate_field'],
    ['<surprise>a</surprise>', 'surprise unknown_field'],
    ['<subject><b>a</b></subject>', 'subject invalid_type'],
    ['<subject nil="true"/>', 'subject invalid_type'],
    ['<external_id nil="true">x</external_id>', 'external_id invalid_value'],
    ['<external_id nil="1"/>', 'external_id invalid_value'],
    ['<subject type="number">5</subject>', 'subject unknown_attribute'],
    ['<subject key="a">5</subject>', 'subject unknown_attribute'],
    ['<tags>a, b</tags>', 'tags invalid_type'],
    ['<tags><tag>a</tag><label>b</label></tags>', 'tags[1] unknown_field'],
    ['<requester>ada@example.com</requester>', 'requester invalid_type'],
    ['<requester><email>x</email><name nil="true"/></requester>', 'requester.email invalid_format'],
    ['<custom_fields><floor>3</floor></custom_fields>', 'custom_fields unknown_field'],
    ['<custom_fields><field>3</field></custom_fields>', 'custom_fields unknown_field'],
    ['<custom_fields><field key="a"/><field key="a"/></custom_fields>', 'custom_fields.a duplicate_field'],
    [
      '<custom_fields><field key="__proto__">3</field></custom_fields>',
      'custom_fields.__proto__ reserved_name',
    ],
    [
      '<custom_fields><field key="a" type="number">x</field></custom_fields>',
      'custom_fields.a invalid_value',
    ],
    [
      '<custom_fields><field key="a" type="boolean">1</field></custom_fields>',
      'custom_fields.a invalid_value',
    ],
    ['<custom_fields><field key="a" type="date">x</field></custom_fields>', 'custom_fields.a invalid_value'],
    [
      '<custom_fields><field key="a" type="array"><tag>x</tag></field></custom_fields>',
      'custom_fields.a[0] unknown_field',
    ],
    ['<custom_fields><field key="a"><item>x</item></field></custom_fields>', 'custom_fields.a invalid_type'],
  ])('%s has exactly the fault %s', (content, fault) => {
    const faults = faultsOf(schema, xml(content));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`${fault} `);
  });

  it('a root that is null is refused', () => {
    const body: Body = { format: 'xml', value: readXml('<ticket nil="true"/>', 'ticket') };
    expect(faultsOf(schema, body)).toEqual([' invalid_type must be an object']);
  });
});

describe('a form against a schema', () => {
  const schema = exampleSchema.partial();
  const parse = createInputParser(schema);

  it('fills nested fields, lists and maps; what stands in a map is text', () => {
    const text =
      'requester[email]=a@example.com&requester[name]=&tags[]=x&tags[]=5&custom_fields[n]=5&custom_fields[l][]=a';
    expect(parse(form(text))).toEqual({
      requester: { email: 'a@example.com', name: null },
      tags: ['x', '5'],
      custom_fields: { n: '5', l: ['a'] },
    });
  });

  it('says null, the empty list and the empty map by an empty value', () => {
    expect(parse(form('type=&requester=&tags=&labels=&description='))).toEqual({
      type: null,
      requester: null,
      tags: [],
      labels: {},
      description: '',
    });
  });

  it.each([
    ['surprise=1', 'surprise unknown_field'],
    ['subject[]=a', 'subject invalid_type'],
    ['subject[a]=a', 'subject invalid_type'],
    ['tags=a', 'tags invalid_type'],
    ['tags[a]=b', 'tags invalid_type'],
    ['requester=a', 'requester invalid_type'],
    ['requester[]=a', 'requester invalid_type'],
    ['cc[]=a', 'cc[0] invalid_type'],
    ['custom_fields[a][b]=c', 'custom_fields.a invalid_type'],
  ])('%s has exactly the fault %s', (text, fault) => {
    const faults = faultsOf(schema, form(text));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`${fault} `);
  });
});

describe('text that XML 1.0 cannot carry (§2.2) is refused in every format, so that all that is stored has an XML form', () => {
  const schema = exampleSchema.partial();

  it.each(['\0', '\u0001', '\u000B', '\u001F', '\uFFFE', '\uFFFF', '\uD800', 'x\uDFFFx'])('%j', (text) => {
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
  });

  it('but any other text is taken', () => {
    const subject = '\t\n\r \u007F\u0085\uD7FF\uE000\uFFFD\u{10000}\u{10FFFF}😀';
    expect(createInputParser(schema)(json({ subject }))).toEqual({ subject });
  });
});

describe('a schema with defaults and transforms', () => {
  it('is given what it takes and returns what it makes', () => {
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
