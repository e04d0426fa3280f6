import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { example, exampleSchema } from '../example-ticket.fixture.ts';
import { compileXmlWriter } from './xml-writer.ts';

const write = compileXmlWriter(exampleSchema, 'ticket');

describe('XML of a resource', () => {
  it('mirrors its JSON', () => {
    expect(write(example)).toBe(
      [
        '<ticket><id>019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071</id><subject>The printer is on fire</subject>',
        '<description/><status>new</status><type nil="true"/>',
        '<requester><email>ada@example.com</email><name nil="true"/></requester>',
        '<cc><person><email>bob@example.com</email><name>Bob</name></person></cc>',
        '<tags><tag>printer</tag><tag>fire</tag></tags>',
        '<custom_fields><field key="floor" type="number">3</field><field key="vip" type="boolean">true</field>',
        '<field key="note">x</field><field key="none" nil="true"/>',
        '<field key="parts" type="array"><item>a</item><item/></field></custom_fields>',
        '<labels><field key="en">Printer</field></labels><external_id nil="true"/><rating nil="true"/>',
        '<is_public>false</is_public><due_at>2026-01-31T09:00:00.000Z</due_at><version>1</version></ticket>',
      ].join(''),
    );
  });

  it('has empty elements for empty lists and maps', () => {
    const xml = write({ ...example, cc: [], tags: [], custom_fields: { none: [] }, labels: {} });
    expect(xml).toContain('<cc/><tags/>');
    expect(xml).toContain('<custom_fields><field key="none" type="array"/></custom_fields><labels/>');
  });

  it('has no elements for fields that the schema does not have', () => {
    const leaking: object = { ...example, internal_note: 'secret' };
    expect(write(leaking as typeof example)).toBe(write(example));
  });

  it('follows the output of a schema with transforms', () => {
    const schema = z.object({
      tags: z
        .string()
        .transform((text) => text.split(','))
        .pipe(z.array(z.string()).meta({ item: 'tag' })),
      email: z.string().transform((text) => text.toLowerCase()),
    });
    expect(compileXmlWriter(schema, 'x')({ tags: ['a', 'b'], email: 'e' })).toBe(
      '<x><tags><tag>a</tag><tag>b</tag></tags><email>e</email></x>',
    );
  });
});

describe('text in XML (XML 1.0 §2.4, §2.11, §3.3.3)', () => {
  const writeText = compileXmlWriter(z.string(), 't');
  const writeMap = compileXmlWriter(z.record(z.string(), z.string()), 'm');

  it.each([
    ['a < b & c > d', 'a &lt; b &amp; c &gt; d'],
    [']]>', ']]&gt;'],
    ['one\r\ntwo\rthree', 'one&#13;\ntwo&#13;three'],
    [' \t\n ', ' \t\n '],
    ['&amp;', '&amp;amp;'],
    ['"\'', '"\''],
  ])('is escaped in an element only where necessary: %j', (text, escaped) => {
    expect(writeText(text)).toBe(`<t>${escaped}</t>`);
  });

  it('is escaped in an attribute, including white space', () => {
    expect(writeMap({ '<&>"\t\r\n\'': '' })).toBe(`<m><field key="&lt;&amp;&gt;&quot;&#9;&#13;&#10;'"/></m>`);
  });
});

describe('compileXmlWriter rejects, with the name of the field,', () => {
  it.each([
    ['an array without a name for its members', z.array(z.string()), /x\.field.*meta\(\{ item/],
    ['a date', z.date(), /x\.field is a zod date/],
    ['a union of two objects', z.union([z.object({}), z.object({})]), /union x\.field/],
    ['a union of two kinds of text', z.union([z.string(), z.enum(['a'])]), /union x\.field/],
    ['a literal that is not text', z.literal(1), /x\.field has literals/],
    ['a name that is invalid for an element', z.object({ 'a b': z.string() }), /"a b" at x\.field/],
  ])('%s', (_, field, message) => {
    expect(() => compileXmlWriter(z.object({ x: z.object({ field }) }), 'root')).toThrow(message);
  });

  it('but accepts an array of arrays with named members', () => {
    const rows = z.array(z.array(z.int()).meta({ item: 'cell' })).meta({ item: 'row' });
    expect(compileXmlWriter(rows, 'rows')([[1, 2], []])).toBe(
      '<rows><row><cell>1</cell><cell>2</cell></row><row/></rows>',
    );
  });
});

describe('numbers', () => {
  it('are written as in JSON', () => {
    const writeNumber = compileXmlWriter(z.number(), 'n');
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -Number.MAX_VALUE }), (number) => {
        expect(writeNumber(number)).toBe(`<n>${JSON.stringify(number)}</n>`);
      }),
    );
  });
});
