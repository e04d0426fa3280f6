import { useStarted } from '@keydesk/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startEchoApp } from './echo-app.fixture.ts';
import { anyExample, exampleSchema } from './example-ticket.fixture.ts';
import { createRenderer } from './output/renderer.ts';

const app = useStarted(startEchoApp);

const renderer = createRenderer({ schema: exampleSchema, singular: 'ticket', plural: 'tickets' });
const types = [
  'application/json',
  'application/xml',
  'text/xml',
  'application/x-www-form-urlencoded',
  'application/merge-patch+json',
];

/** Sends a body and requests both formats; fails for a 5xx, or if the response is not a document. */
async function expectNoServerError(type: string, body: Uint8Array<ArrayBuffer> | string): Promise<void> {
  const method = type === 'application/merge-patch+json' ? 'PATCH' : 'POST';
  for (const format of ['json', 'xml']) {
    const response = await fetch(`${app.url}/tickets.${format}`, {
      method,
      headers: { 'content-type': type },
      body,
    });
    const text = await response.text();
    expect(response.status, text).toBeLessThan(500);
    expect(text.length).toBeLessThan(100_000);
    if (format === 'json') JSON.parse(text);
  }
}

function mutate(document: string, edits: readonly (readonly [number, string])[]): string {
  return edits.reduce((text, [position, piece]) => {
    const at = position % (text.length + 1);
    return text.slice(0, at) + piece + text.slice(at + (piece.length % 3));
  }, document);
}

const pieces = fc.oneof(
  fc.constantFrom(...'<>&"\'{}[]:,/=%\\ \r\n\t\u0001\uFFFF'),
  fc.constantFrom(
    '</',
    '/>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<!DOCTYPE x>',
    '<?x?>',
    '&#0;',
    '&toString;',
  ),
  fc.constantFrom(
    '"__proto__":1,',
    '<constructor/>',
    'toString=1&',
    'nil="true"',
    'key="x"',
    'xmlns="x"',
    '%00',
    '%FF',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const edits = fc.array(fc.tuple(fc.nat(), pieces), { minLength: 1, maxLength: 6 });

describe.each(types)('no body of %s causes a 5xx', (type) => {
  it('random bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        await expectNoServerError(type, new Uint8Array(bytes));
      }),
      { numRuns: 100 },
    );
  });

  it('damaged documents', async () => {
    const format = type.endsWith('xml') ? 'xml' : 'json';
    const form = 'subject=a&requester[email]=b@example.com&tags[]=c&custom_fields[x]=y&version=1';
    await fc.assert(
      fc.asyncProperty(anyExample, edits, async (resource, damage) => {
        const document = type.endsWith('urlencoded') ? form : String(renderer.one(format, resource));
        await expectNoServerError(type, mutate(document, damage));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['200,000 nested arrays', '['.repeat(200_000)],
    ['200,000 nested objects', '{"a":'.repeat(200_000)],
    [
      '200,000 nested elements',
      `${'<ticket>'.repeat(100_000)}${'</ticket>'.repeat(100_000)}`.slice(0, 1_000_000),
    ],
    ['17 KB of nested elements', `<ticket>${'<a>'.repeat(2400)}${'</a>'.repeat(2400)}</ticket>`],
    ['200,000 nested brackets', `a${'[b]'.repeat(200_000)}=1`],
    [
      'a billion laughs',
      `<!DOCTYPE l [<!ENTITY a "lol">${'<!ENTITY b "&a;&a;&a;&a;">'.repeat(9)}]><ticket>&b;</ticket>`,
    ],
    ['very many attributes', `<ticket ${Array.from({ length: 90_000 }, (_, i) => `a${i}=""`).join(' ')}/>`],
    ['very many references', `<ticket><subject>${'&#65;'.repeat(200_000)}</subject></ticket>`],
    ['very many names', `{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":1`).join()}}`],
    ['very many unknown elements', `<ticket>${'<a/>'.repeat(19_000)}</ticket>`],
    ['very many tags', `{"tags":[${'"a",'.repeat(200_000)}"b"]}`],
    ['very many faults', `{"tags":[${'1,'.repeat(400_000)}1]}`],
    ['very many fields', Array.from({ length: 120_000 }, (_, i) => `a${i}=`).join('&')],
    ['a long e-mail address', `{"requester":{"email":"${'a.'.repeat(400_000)}@example.com","name":null}}`],
    ['a long time', `{"due_at":"2026-01-31T09:00:00.${'0'.repeat(900_000)}"}`],
    ['a very large number', `{"version":${'9'.repeat(900_000)}}`],
  ])('%s, within seconds of CPU time', async (_, body) => {
    const before = process.cpuUsage();
    await expectNoServerError(type, body);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(10_000);
  });
});

describe('database operators in place of a value', () => {
  it.each([
    ['application/json', '{"subject":{"$ne":1},"$where":"1","external_id":{"$gt":""}}'],
    ['application/x-www-form-urlencoded', 'subject[$ne]=1&$where=1&external_id[$gt]='],
  ])('are rejected in %s', async (type, body) => {
    const response = await fetch(`${app.url}/tickets.json`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect(response.status).toBe(400);
    const { errors } = (await response.json()) as { errors: unknown };
    expect(errors).toEqual(
      expect.arrayContaining([
        { field: 'subject', code: 'invalid_type', message: 'must be text' },
        { field: 'external_id', code: 'invalid_type', message: 'must be text' },
        { field: '["$where"]', code: 'unknown_field', message: 'is not a known field' },
      ]),
    );
  });
});
