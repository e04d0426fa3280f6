import { useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { startApi } from '../api.fixture.ts';
import { createDocument } from '../contract/openapi/create-document.ts';
import type { Operation } from '../contract/operation.ts';
import { operations as all } from '../contract/operations.ts';

const tags = { since: '2026-12-01', sunset: '2027-06-30', instead: 'Use `listTickets`.' };
const order = { since: '2026-11-30', sunset: '2027-07-31', instead: 'Sort what you got.' };
const limit = { since: '2026-12-01', instead: 'Take what comes.' };
const feed = { since: '2027-01-31', instead: 'Use webhooks.' };

/** The contract, of which some is deprecated. */
const operations = all.map((operation): Operation => {
  if (operation.id === 'listTags')
    return { ...operation, deprecation: tags, deprecatedParameters: { limit } };
  if (operation.id === 'listTickets') return { ...operation, deprecatedParameters: { sort: order, limit } };
  return operation.id === 'listChanges' ? { ...operation, deprecation: feed } : operation;
});

const options = { baseUrl: 'https://api.example', issuer: 'https://auth.example', rateLimitStatus: 421 };
const api = useStarted(() => startApi({ operations }));
const changelog = 'http://api.example/docs/changelog';

const noticesOf = ({ headers }: { headers: Headers }) =>
  ['Deprecation', 'Sunset', 'Link'].map((name) => headers.get(name));

describe('what is deprecated is announced', () => {
  test('by an operation, with its day, its end and where to read on (RFC 9745 §2, §3, RFC 8594 §3)', async () => {
    for (const format of ['json', 'xml']) {
      expect(noticesOf(await api.request('GET', `/tags.${format}`))).toEqual([
        '@1796083200',
        'Wed, 30 Jun 2027 00:00:00 GMT',
        `<${changelog}#2026-12-01>; rel="deprecation"; type="text/html"`,
      ]);
    }
  });

  test('by a refusal, too', async () => {
    const refused = await api.request('GET', '/tags.json', undefined, { Authorization: undefined });
    expect([refused.status, noticesOf(refused)[0]]).toEqual([401, '@1796083200']);
    const wrong = await api.request('GET', '/tags.json?colour=red');
    expect([wrong.status, noticesOf(wrong)[0]]).toEqual([400, '@1796083200']);
  });

  test('by an operation where a request has the parameter, and nowhere else', async () => {
    expect(noticesOf(await api.request('GET', '/tickets.json'))).toEqual([null, null, null]);
    expect(noticesOf(await api.request('GET', '/tickets.json?limit=5'))).toEqual([
      '@1796083200',
      null,
      `<${changelog}#2026-12-01>; rel="deprecation"; type="text/html"`,
    ]);
    expect(noticesOf(await api.request('GET', '/people.json?limit=5'))).toEqual([null, null, null]);
  });

  test('with the earliest days, and an entry of the changelog for each', async () => {
    for (const subject of ['one', 'two']) await api.addTicket({ subject });
    const [deprecation, sunset, link] = noticesOf(
      await api.request('GET', '/tickets.json?limit=1&sort=created_at'),
    );
    expect([deprecation, sunset]).toEqual(['@1795996800', 'Sat, 31 Jul 2027 00:00:00 GMT']);
    for (const day of ['2026-11-30', '2026-12-01']) expect(link).toContain(`<${changelog}#${day}>`);
    expect(link).toContain('rel="next"');
  });

  test('by a stream of the operation', async () => {
    const answer = await api.request('HEAD', '/changes', undefined, { Accept: 'text/event-stream' });
    expect(noticesOf(answer).slice(0, 2)).toEqual(['@1801353600', null]);
  });

  test('in the log, for operators to find who still uses it', async () => {
    await api.request('GET', '/tags.json?limit=1');
    await expect.poll(() => api.log.join('')).toContain('"deprecated":["listTags","listTags?limit"]');
  });

  test('in the contract, which says what to use instead', () => {
    const { paths } = createDocument(operations, options);
    expect(paths['/tags.{format}']?.get).toMatchObject({
      deprecated: true,
      description: expect.stringContaining(
        'Deprecated since 2026-12-01, gone from 2027-06-30 on. Use `listTickets`.',
      ),
    });
    const { deprecated, parameters = [] } = paths['/tickets.{format}']?.get ?? {};
    expect(deprecated).toBeUndefined();
    const marked = parameters.filter((each) => each.deprecated);
    expect(marked.map(({ name }) => name)).toEqual(['limit', 'sort']);
    expect(marked[0]?.description).toContain('Deprecated since 2026-12-01. Take what comes.');
  });

  test('with days of the calendar alone', () => {
    const deprecation = { since: '2027-02-30', instead: 'Use another.' };
    const wrong = all.map((each) => ({ ...each, deprecation }));
    expect(() => createDocument(wrong, options)).toThrow('2027-02-30 is no day of the calendar.');
  });
});
