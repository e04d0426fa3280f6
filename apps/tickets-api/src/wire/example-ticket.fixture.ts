import fc from 'fast-check';
import { z } from 'zod';

const person = z.strictObject({ email: z.email(), name: z.string().max(200).nullable() });

/** Schema with a field of every kind that the wire formats support. */
export const exampleSchema = z.strictObject({
  id: z.uuid(),
  subject: z.string().max(255),
  description: z.string(),
  status: z.enum(['new', 'open', 'on hold']),
  type: z.enum(['question', 'task']).nullable(),
  requester: person.nullable(),
  cc: z.array(person).meta({ item: 'person' }),
  tags: z.array(z.string()).max(20).meta({ item: 'tag' }),
  custom_fields: z.record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).meta({ item: 'item' }), z.null()]),
  ),
  labels: z.record(z.string(), z.string()),
  external_id: z.string().nullable(),
  rating: z.number().nullable(),
  is_public: z.boolean(),
  due_at: z.iso.datetime({ offset: true }).nullable(),
  version: z.int().min(1),
  note: z.string().optional(),
});

export type Example = z.output<typeof exampleSchema>;

export const example: Example = Object.freeze({
  id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  subject: 'The printer is on fire',
  description: '',
  status: 'new',
  type: null,
  requester: { email: 'ada@example.com', name: null },
  cc: [{ email: 'bob@example.com', name: 'Bob' }],
  tags: ['printer', 'fire'],
  custom_fields: { floor: 3, vip: true, note: 'x', none: null, parts: ['a', ''] },
  labels: { en: 'Printer' },
  external_id: null,
  rating: null,
  is_public: false,
  due_at: '2026-01-31T09:00:00.000Z',
  version: 1,
});

const edgeCases = fc.constantFrom(
  ...[
    '\r',
    '\n',
    '\t',
    '\r\n',
    ' ',
    ']]>',
    '<![CDATA[',
    '&',
    '&amp;',
    '&#13;',
    '<',
    '>',
    '"',
    "'",
    '<!--',
    '-->',
  ],
  ...[
    '\u0085',
    '\u00A0',
    '\u2028',
    '\uFEFF',
    '\uFFFD',
    '\u{10FFFF}',
    '😀',
    '👩‍👩‍👧',
    'שלום',
    'مرحبا',
    'e\u0301',
    'ü',
  ],
);

/** Any text that XML 1.0 can represent (§2.2), with edge cases of parsers. */
export const xmlText: fc.Arbitrary<string> = fc
  .array(fc.oneof(edgeCases, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 8 })
  .map((parts) => parts.join('').replace(/[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, ''));

const name = xmlText.filter((text) => !(text in Object.prototype) && text !== 'prototype');
// JSON already turns -0 into 0.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const email = fc.constantFrom('ada@example.com', 'bob.o-brien+x@sub.example.org');
const exampleParts = { email, name: fc.option(xmlText.filter((text) => text.length <= 200)) };
const nullablePerson = fc.option(fc.record(exampleParts));
const customField = fc.oneof(
  xmlText,
  number,
  fc.boolean(),
  fc.array(xmlText, { maxLength: 4 }),
  fc.constant(null),
);

/** Any valid resource. */
export const anyExample: fc.Arbitrary<Example> = fc.record(
  {
    id: fc.uuid(),
    subject: xmlText.filter((text) => text.length <= 255),
    description: xmlText,
    status: fc.constantFrom('new', 'open', 'on hold'),
    type: fc.constantFrom('question', 'task', null),
    requester: nullablePerson,
    cc: fc.array(fc.record(exampleParts), { maxLength: 3 }),
    tags: fc.array(xmlText, { maxLength: 4 }),
    custom_fields: fc.dictionary(name, customField, { maxKeys: 5, noNullPrototype: true }),
    labels: fc.dictionary(name, xmlText, { maxKeys: 3, noNullPrototype: true }),
    external_id: fc.option(xmlText),
    rating: fc.option(number),
    is_public: fc.boolean(),
    due_at: fc.constantFrom('2026-01-31T09:00:00.000Z', '2026-01-31T10:00:00+01:00', null),
    version: fc.integer({ min: 1 }),
    note: xmlText,
  },
  { requiredKeys: Object.keys(exampleSchema.shape).filter((key) => key !== 'note') as never },
);
