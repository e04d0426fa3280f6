import { useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { startApi } from '../tests/api.fixture.ts';
import { createDocument } from './openapi/create-document.ts';
import type { Operation } from './operation.ts';
import { operations as all } from './operations.ts';

const tags = { since: '2026-12-01', sunset: '2027-06-30', instead: 'Use `listTickets`.' };
const order = { since: '2026-11-30', sunset: '2027-07-31', instead: 'Sort what you got.' };
const limit = { since: '2026-12-01', instead: 'Take what comes.' };
const feed = { since: '2027-01-31', instead: 'Use webhooks.' };

/** The contract with some operations and parameters deprecated. */
const operations = all.map((operation): Operation => {
  if (operation.id === 'listTags')
    return { ...operation, deprecation: tags, deprecatedParameters: { limit } };
  if (operation.id === 'listTickets') return { ...operation, deprecatedParameters: { sort: order, limit } };
  return operation.id === 'listChanges' ? { ...operation, deprecation: feed } : operation;
});

const documentOptions = {
  baseUrl: 'https://api.example',
  issuer: 'https://auth.example',
  rateLimitStatus: 421,
};
const api = useStarted(() => startApi({ operations }));
const changelog = 'http://api.example/docs/changelog';

const deprecationHeaders = ({ headers }: { headers: Headers }) =>
  ['Deprecation', 'Sunset', 'Link'].map((name) => headers.get(name));

describe('deprecations', () => {
  test('of an operation are announced with date, sunset and changelog link (RFC 9745 §2, §3, RFC 8594 §3)', async () => {
    for (const format of ['json', 'xml']) {
      expect(deprecationHeaders(await api.request('GET', `/tags.${format}`))).toEqual([
        '@1796083200',
        'Wed, 30 Jun 2027 00:00:00 GMT',
        `<${changelog}#2026-12-01>; rel="deprecation"; type="text/html"`,
      ]);
    }
  });

  test('are announced by error responses too', async () => {
    const unauthorized = await api.request('GET', '/tags.json', undefined, { Authorization: undefined });
    expect([unauthorized.status, deprecationHeaders(unauthorized)[0]]).toEqual([401, '@1796083200']);
    const invalid = await api.request('GET', '/tags.json?colour=red');
    expect([invalid.status, deprecationHeaders(invalid)[0]]).toEqual([400, '@1796083200']);
  });

  test('of a parameter are announced only to requests that send it', async () => {
    expect(deprecationHeaders(await api.request('GET', '/tickets.json'))).toEqual([null, null, null]);
    expect(deprecationHeaders(await api.request('GET', '/tickets.json?limit=5'))).toEqual([
      '@1796083200',
      null,
      `<${changelog}#2026-12-01>; rel="deprecation"; type="text/html"`,
    ]);
    expect(deprecationHeaders(await api.request('GET', '/people.json?limit=5'))).toEqual([null, null, null]);
  });

  test('are announced with the earliest dates and a link for each date', async () => {
    for (const subject of ['one', 'two']) await api.addTicket({ subject });
    const [deprecation, sunset, link] = deprecationHeaders(
      await api.request('GET', '/tickets.json?limit=1&sort=created_at'),
    );
    expect([deprecation, sunset]).toEqual(['@1795996800', 'Sat, 31 Jul 2027 00:00:00 GMT']);
    for (const day of ['2026-11-30', '2026-12-01']) expect(link).toContain(`<${changelog}#${day}>`);
    expect(link).toContain('rel="next"');
  });

  test('are announced by the event stream of the operation', async () => {
    const answer = await api.request('HEAD', '/changes', undefined, { Accept: 'text/event-stream' });
    expect(deprecationHeaders(answer).slice(0, 2)).toEqual(['@1801353600', null]);
  });

  test('are logged for each request that uses them', async () => {
    await api.request('GET', '/tags.json?limit=1');
    await expect.poll(() => api.log.join('')).toContain('"deprecated":["listTags","listTags?limit"]');
  });

  test('are marked in the contract, with what to use instead', () => {
    const { paths } = createDocument(operations, documentOptions);
    expect(paths['/tags.{format}']?.get).toMatchObject({
      deprecated: true,
      description: expect.stringContaining(
        'Deprecated since 2026-12-01, removed on 2027-06-30. Use `listTickets`.',
      ),
    });
    const { deprecated, parameters = [] } = paths['/tickets.{format}']?.get ?? {};
    expect(deprecated).toBeUndefined();
    const marked = parameters.filter((each) => each.deprecated);
    expect(marked.map(({ name }) => name)).toEqual(['limit', 'sort']);
    expect(marked[0]?.description).toContain('Deprecated since 2026-12-01. Take what comes.');
  });

  test('must have valid calendar dates', () => {
    const deprecation = { since: '2027-02-30', instead: 'Use another.' };
    const invalid = all.map((each) => ({ ...each, deprecation }));
    expect(() => createDocument(invalid, documentOptions)).toThrow('2027-02-30 is not a calendar date.');
  });
});
