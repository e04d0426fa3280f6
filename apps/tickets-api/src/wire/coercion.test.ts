import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { faultsOf, form, json, xml } from './bodies.fixture.ts';
import { exampleSchema } from './example-ticket.fixture.ts';
import { type Body, createInputParser } from './input/input.ts';
import { readXml } from './xml/read-xml.ts';

describe('types of scalars', () => {
  const schema = z.strictObject({ text: z.string(), count: z.int(), yes: z.boolean() });

  it('are kept in JSON', () => {
    expect(createInputParser(schema)(json({ text: '5', count: 5, yes: true }))).toEqual({
      text: '5',
      count: 5,
      yes: true,
    });
    expect(faultsOf(schema, json({ text: 5, count: '5', yes: 'true' }))).toHaveLength(3);
  });

  it('come from the schema in XML and forms', () => {
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

describe('coercion of XML', () => {
  const schema = exampleSchema.partial();
  const parse = createInputParser(schema);

  it('reads nil="true" as null, an empty element as empty text, an absent one as absent', () => {
    expect(parse(xml('<external_id nil="true"/><description/><note nil="false">x</note>'))).toEqual({
      external_id: null,
      description: '',
      note: 'x',
    });
  });

  it('reads an empty wrapper as an empty list or map, even with white space in it', () => {
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
  ])('reports for %s only the fault %s', (content, fault) => {
    const faults = faultsOf(schema, xml(content));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`${fault} `);
  });

  it('rejects a null root', () => {
    const body: Body = { format: 'xml', value: readXml('<ticket nil="true"/>', 'ticket') };
    expect(faultsOf(schema, body)).toEqual([' invalid_type must be an object']);
  });
});

describe('coercion of forms', () => {
  const schema = exampleSchema.partial();
  const parse = createInputParser(schema);

  it('reads nested fields, lists and maps; values of maps are text', () => {
    const text =
      'requester[email]=a@example.com&requester[name]=&tags[]=x&tags[]=5&custom_fields[n]=5&custom_fields[l][]=a';
    expect(parse(form(text))).toEqual({
      requester: { email: 'a@example.com', name: null },
      tags: ['x', '5'],
      custom_fields: { n: '5', l: ['a'] },
    });
  });

  it('reads an empty value as null, an empty list or an empty map', () => {
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
  ])('reports for %s only the fault %s', (text, fault) => {
    const faults = faultsOf(schema, form(text));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`${fault} `);
  });
});
