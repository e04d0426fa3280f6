import { useStarted } from '@keydesk/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStringPromise } from 'xml2js';
import { startEchoApp } from './echo-app.fixture.ts';
import { anyExample, example, exampleSchema, xmlText } from './example-ticket.fixture.ts';
import { createInputParser } from './input/input.ts';
import { contentTypes, type Format } from './output/format.ts';
import { createRenderer } from './output/renderer.ts';
import { readXml } from './xml/read-xml.ts';

const renderer = createRenderer({ schema: exampleSchema, singular: 'ticket', plural: 'tickets' });
const parse = createInputParser(exampleSchema);

describe('JSON → XML → JSON', () => {
  it('returns any resource unchanged', () => {
    fc.assert(
      fc.property(anyExample, (resource) => {
        const xml = String(renderer.one('xml', resource));
        expect(parse({ format: 'xml', value: readXml(xml, 'ticket') })).toEqual(resource);
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps text in elements, list members, and keys and values of maps', () => {
    fc.assert(
      fc.property(xmlText, (text) => {
        const key = `k${text}`;
        const resource = {
          ...example,
          description: text,
          tags: [text],
          labels: { [key]: text },
          custom_fields: { [key]: [text] },
        };
        const xml = String(renderer.one('xml', resource));
        expect(parse({ format: 'xml', value: readXml(xml, 'ticket') })).toEqual(resource);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['&', '<p>', ']]>', ']]\r>', '\r\n&'])(
    'keeps 6,000 repetitions of %j, written as CDATA',
    async (text) => {
      const description = text.repeat(6000);
      const xml = String(renderer.one('xml', { ...example, description }));
      expect(xml).toContain('<description><![CDATA[');
      expect(parse({ format: 'xml', value: readXml(xml, 'ticket') }).description).toBe(description);
      expect((await parseStringPromise(xml)).ticket.description).toEqual([description]);
    },
  );

  it('is read correctly by another parser', async () => {
    await fc.assert(
      fc.asyncProperty(xmlText, async (text) => {
        // Letters surround the text, because xml2js drops text that is only white space.
        const description = `a${text}z`;
        const { ticket } = await parseStringPromise(
          String(renderer.one('xml', { ...example, description, tags: [description] })),
        );
        expect(ticket.description).toEqual([description]);
        expect(ticket.tags).toEqual([{ tag: [description] }]);
      }),
    );
  });
});

describe('over HTTP', () => {
  const app = useStarted(startEchoApp);

  async function send(format: Format, body: string, answer: Format): Promise<string> {
    const headers = { 'content-type': contentTypes[format] };
    const response = await fetch(`${app.url}/tickets.${answer}`, { method: 'POST', headers, body });
    expect(response.status, await response.clone().text()).toBe(200);
    expect(response.headers.get('content-type')).toBe(contentTypes[answer]);
    return response.text();
  }

  it('any resource sent as JSON, returned as XML and sent back stays the same', async () => {
    await fc.assert(
      fc.asyncProperty(anyExample, async (resource) => {
        const json = JSON.stringify(resource);
        const xml = await send('json', json, 'xml');
        expect(JSON.parse(await send('xml', xml, 'json'))).toEqual(JSON.parse(json));
      }),
      { numRuns: 150 },
    );
  });
});
