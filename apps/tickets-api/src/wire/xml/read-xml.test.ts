import { measureCpuMs } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { readXml } from './read-xml.ts';

const malformed = (message: RegExp) =>
  expect.objectContaining({ code: 'malformed_body', message: expect.stringMatching(message) });

function expectMalformed(text: string, message: RegExp): void {
  expect(() => readXml(text, 'ticket')).toThrow(malformed(message));
}

function textOf(content: string): string {
  return readXml(`<ticket>${content}</ticket>`, 'ticket').text;
}

describe('an XML body (XML 1.0)', () => {
  it('is read into its elements, attributes and texts', () => {
    const text = '<ticket>\n  <a nil="true"/>\n  <b><c key=\'x\' type="number">1</c></b>\n</ticket>\n';
    expect(readXml(text, 'ticket')).toEqual({
      name: 'ticket',
      attributes: {},
      text: '',
      children: [
        { name: 'a', attributes: { nil: 'true' }, text: '', children: [] },
        {
          name: 'b',
          attributes: {},
          text: '',
          children: [{ name: 'c', attributes: { key: 'x', type: 'number' }, text: '1', children: [] }],
        },
      ],
    });
  });

  it('may have an XML declaration of UTF-8, and comments', () => {
    for (const declaration of [
      '<?xml version="1.0"?>',
      "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n",
    ]) {
      expect(readXml(`${declaration}<!-- a --><ticket>b<!-- c -->d</ticket><!-- e -->`, 'ticket').text).toBe(
        'bd',
      );
    }
  });

  it('keeps white space and normalizes line ends (§2.11)', () => {
    expect(textOf(' \t a \n ')).toBe(' \t a \n ');
    expect(textOf('a\r\nb\rc&#13;\nd')).toBe('a\nb\nc\r\nd');
  });

  it('joins CDATA with the surrounding text', () => {
    expect(textOf('a<![CDATA[<b>&amp;]]]]><![CDATA[>]]>c')).toBe('a<b>&amp;]]>c');
  });

  it('returns long text in one piece', () => {
    const long = 'é'.repeat(200_000);
    expect(textOf(long)).toBe(long);
    expect(textOf(`<![CDATA[${long}]]>`)).toBe(long);
  });

  it('supports the five predefined entities and character references (§4.1, §4.6)', () => {
    expect(textOf('&amp;&lt;&gt;&quot;&apos;&#65;&#x1F600;&amp;lt;&#38;#60;')).toBe('&<>"\'A😀&lt;&#60;');
  });
});

describe('readXml rejects', () => {
  it.each([
    ['nothing', ''],
    ['white space only', ' \n'],
    ['only a comment', '<!-- x -->'],
    ['only a declaration', '<?xml version="1.0"?>'],
    ['another root', '<tickets/>'],
    ['two roots', '<ticket/><ticket/>'],
    ['another root after it', '<ticket></ticket><other/>'],
    ['a root in another case', '<Ticket/>'],
  ])('%s', (_, text) => expectMalformed(text, /must be one <ticket> element/));

  it.each([
    ['text before the root', 'x<ticket/>'],
    ['text after the root', '<ticket/>x'],
    ['a reference after the root', '<ticket/>&amp;'],
    ['CDATA before the root', '<![CDATA[]]><ticket/>'],
    ['CDATA after the root', '<ticket/><![CDATA[ ]]>'],
    ['an end tag after the root', '<ticket/></ticket>'],
    ['an unclosed root', '<ticket>'],
    ['an unclosed tag', '<ticket'],
    ['an unclosed attribute', '<ticket nil="'],
    ['an unclosed comment', '<ticket/><!-- '],
    ['a long unclosed comment', `<ticket/><!-- ${'x'.repeat(100_000)}`],
    ['unclosed CDATA', '<ticket><![CDATA[ ]]</ticket>'],
    ['tags that overlap', '<ticket><a><b></a></b></ticket>'],
    ['an attribute without quotes', '<ticket nil=true/>'],
    ['an attribute without a value', '<ticket nil/>'],
    ['attributes without a space between them', '<ticket nil="true"type="x"/>'],
    ['a bare ampersand', '<ticket>a & b</ticket>'],
    ['a bare less-than sign', '<ticket>1 < 2</ticket>'],
    ['a double hyphen in a comment', '<ticket><!-- a -- b --></ticket>'],
    ['JSON', '{"subject":"x"}'],
  ])('%s', (_, text) => expectMalformed(text, /(well-formed|outside of its root).*[^.]\.$/));

  it.each([
    ['a DOCTYPE', '<!DOCTYPE ticket><ticket/>', /DOCTYPE/],
    ['a DOCTYPE with a DTD', '<!DOCTYPE ticket [<!ENTITY a "b">]><ticket>&a;</ticket>', /DOCTYPE/],
    ['a DOCTYPE in lower case', '<!doctype ticket><ticket/>', /DOCTYPE/],
    ['an unclosed DOCTYPE', '<!DOCTYPE ticket [', /./],
    [
      'an external entity',
      '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><ticket>&x;</ticket>',
      /DOCTYPE/,
    ],
    ['a processing instruction', '<?xml-stylesheet href="x"?><ticket/>', /processing instruction/],
    ['a processing instruction inside', '<ticket><?php x ?></ticket>', /processing instruction/],
    ['a declaration after the start', ' <?xml version="1.0"?><ticket/>', /processing instruction/],
    ['a second declaration', '<?xml version="1.0"?><?xml version="1.0"?><ticket/>', /processing instruction/],
    ['another markup declaration', '<ticket><!ELEMENT a></ticket>', /markup declaration/],
    ['another encoding', '<?xml version="1.0" encoding="iso-8859-1"?><ticket/>', /UTF-8/],
    ['another version', '<?xml version="1.1"?><ticket/>', /version 1\.0/],
    ['an unfinished declaration', '<?xml version="1.0"', /version 1\.0/],
  ])('%s', (_, text, message) => expectMalformed(text, message));

  it.each([
    '&nbsp;',
    '&copy;',
    '&undefined;',
    '&toString;',
    '&constructor;',
    '&__proto__;',
    '&;',
    '&#;',
    '&#x;',
    '&#0;',
    '&#x1;',
    '&#xD800;',
    '&#xFFFF;',
    '&#x110000;',
    '&#99999999999;',
    '&#65',
    '&amp',
  ])('an invalid entity or reference: %s', (reference) =>
    expectMalformed(`<ticket>${reference}</ticket>`, /well-formed/),
  );

  it.each([
    ['a repeated attribute', '<ticket><a nil="true" nil="false"/></ticket>', /repeats the attribute nil/],
    ['an unknown attribute', '<ticket id="1"/>', /unknown attribute id/],
    [
      'an attribute that would break the parser',
      '<ticket hasOwnProperty="1" nil="true"/>',
      /unknown attribute/,
    ],
    ['an attribute named as a prototype', '<ticket __proto__="1"/>', /unknown attribute/],
    ['a namespace', '<ticket xmlns="urn:x"/>', /Namespaces/],
    ['a namespace prefix', '<ticket xmlns:x="urn:x"/>', /Namespaces/],
    ['an element with a prefix', '<ticket><x:a/></ticket>', /Namespaces/],
    ['an attribute with a prefix', '<ticket xml:lang="de"/>', /Namespaces/],
    ['text before elements', '<ticket>x<a/></ticket>', /mixes text and elements/],
    ['text after elements', '<ticket><a/>x</ticket>', /mixes text and elements/],
    ['text between elements', '<ticket><a/>x<b/></ticket>', /mixes text and elements/],
    ['CDATA beside elements', '<ticket><a/><![CDATA[x]]></ticket>', /mixes text and elements/],
    ['a no-break space beside elements', '<ticket>\u00A0<a/></ticket>', /mixes text and elements/],
  ])('%s', (_, text, message) => expectMalformed(text, message));

  it.each([
    'toString',
    'constructor',
    '__proto__',
    'prototype',
    'hasOwnProperty',
    'valueOf',
    '__defineGetter__',
  ])('an element named %s', (name) => {
    expect(() => readXml(`<ticket><a><${name}>x</${name}></a></ticket>`, 'ticket')).toThrow(
      expect.objectContaining({
        code: 'malformed_body',
        errors: [expect.objectContaining({ field: `a.${name}` })],
      }),
    );
  });
});

describe('the size of an XML body', () => {
  const nest = (levels: number) => '<a>'.repeat(levels) + '</a>'.repeat(levels);

  it('is at most 32 levels', () => {
    expect(() => readXml(`<ticket>${nest(31)}</ticket>`, 'ticket')).not.toThrow();
    expectMalformed(`<ticket>${nest(32)}</ticket>`, /deeper than 32/);
    expectMalformed(`<ticket>${nest(200_000)}</ticket>`, /deeper than 32/);
  });

  it('is at most 25,000 elements', () => {
    expect(() => readXml(`<ticket>${'<a/>'.repeat(24_999)}</ticket>`, 'ticket')).not.toThrow();
    expectMalformed(`<ticket>${'<a/>'.repeat(25_000)}</ticket>`, /more than 25000 values/);
  });

  it.each([
    ['references in text', (count: number) => `<ticket>${'&#65;'.repeat(count)}</ticket>`],
    ['predefined entities', (count: number) => `<ticket>${'&lt;'.repeat(count)}</ticket>`],
    ['references in an attribute', (count: number) => `<ticket nil="${'&amp;'.repeat(count)}"/>`],
    ['CDATA sections', (count: number) => `<ticket>${'<![CDATA[a]]>'.repeat(count)}</ticket>`],
    [
      'references and CDATA sections',
      (count: number) =>
        `<ticket>${'<![CDATA[]]>'.repeat(count / 2)}${'&#x41;'.repeat(count - Math.floor(count / 2))}</ticket>`,
    ],
  ])('is at most 20,000 %s', (_, document) => {
    expect(() => readXml(document(20_000), 'ticket')).not.toThrow();
    expectMalformed(
      document(20_001),
      /more than 20000 references .* and CDATA sections; put .* or send JSON/,
    );
  });

  it('is not limited to a number of ampersands within a CDATA section or comment', () => {
    const text = '&<'.repeat(100_000);
    expect(textOf(`<!--${text}--><![CDATA[${text}]]>`)).toBe(text);
  });

  it.each([
    ['very many attributes', `<ticket ${Array.from({ length: 90_000 }, (_, i) => `a${i}=""`).join(' ')}/>`],
    ['the same attribute very often', `<ticket ${'nil="" '.repeat(100_000)}/>`],
    ['a very long name', `<${'a'.repeat(1_000_000)}`],
    ['a very long attribute name', `<ticket ${'a'.repeat(1_000_000)}=""/>`],
    ['a very long attribute', `<ticket nil="${'&amp;'.repeat(200_000)}"/>`],
    ['a very long entity', `<ticket>&${'a'.repeat(1_000_000)};</ticket>`],
    ['very many references', `<ticket>${'&#65;'.repeat(200_000)}</ticket>`],
    ['very many comments', `<ticket>${'<!---->a'.repeat(130_000)}</ticket>`],
    ['very many pieces of CDATA', `<ticket>${'<![CDATA[a]]>'.repeat(80_000)}</ticket>`],
    ['very many open brackets', `<ticket>${'<'.repeat(1_000_000)}`],
    ['a long declaration', `<?xml ${' '.repeat(1_000_000)}`],
    [
      'a billion laughs',
      `<!DOCTYPE l [${Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')}]><ticket>&l9;</ticket>`,
    ],
  ])('takes linear time to read: %s', (_, text) => {
    const cpuMs = measureCpuMs(() => {
      try {
        readXml(text, 'ticket');
      } catch (err) {
        expect(err).toEqual(malformed(/./));
        expect(String(err).length).toBeLessThan(500);
      }
    });
    expect(cpuMs).toBeLessThan(5000);
  });
});
