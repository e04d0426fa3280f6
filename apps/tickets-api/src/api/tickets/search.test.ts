import { describe, expect, test } from 'vitest';
import { createContractCheck } from '../../contract/check/contract-check.fixture.ts';
import type { OpenApiDocument } from '../../contract/openapi/document.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

interface Found {
  id: string;
  highlights?: { field: string; reply_id: string | null; snippet: string }[];
}

function searchOverHttp(createDatabase: () => Promise<TestDatabase>): void {
  let api: TestApi;
  let agent: Send;
  let customer: Send;
  const ids: string[] = [];

  useApi(createDatabase, async (started) => {
    api = started;
    agent = signIn(api, 'agent', 'grace@example.com');
    customer = signIn(api, 'customer', 'ada@example.com');
    for (const [subject, description] of [
      ['The Café printer is on fire', 'Smoke <b>everywhere</b> & no «exit»'],
      ['Something else', 'The printer, the printer, the printer'],
      ['Printer', ''],
    ]) {
      const { json } = await customer('POST', '/tickets.json', { subject, description });
      ids.push(String(json.id));
    }
    await agent('POST', `/ticket/${ids[0]}/replies.json`, { body: 'We send a Feuerlöscher today.' });
    await agent('POST', `/ticket/${ids[0]}/replies.json`, {
      body: 'This customer burns a zebra.',
      visibility: 'internal',
    });
  });

  async function search(send: Send, query: string): Promise<Found[]> {
    const answer = await send('GET', `/tickets.json?${query}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.json.tickets as Found[];
  }
  const numbersOf = async (send: Send, query: string) =>
    (await search(send, query)).map(({ id }) => ids.indexOf(id));

  test.each([
    ['q=cafe', [0]],
    ['q=CAFÉ+printer', [0]],
    ['q=prin', [2, 1, 0]],
    ['q=prin+fire', []],
    ['q=%22printer+is+on%22', [0]],
    ['q=%22on+printer%22', []],
    ['q=feuerloscher+fire', [0]],
    ['q=FEUERLÖ', [0]],
    ['q=printer&sort=created_at', [0, 1, 2]],
    ['q=printer&status=solved', []],
    ['q=printer&sort=relevance', [2, 0, 1]],
  ])('%s finds the tickets %j; staff and requester get the same result', async (query, numbers) => {
    expect(await numbersOf(agent, query)).toEqual(numbers);
    expect(await numbersOf(customer, query)).toEqual(numbers);
  });

  test('a note is found only by staff and never returned to customers', async () => {
    for (const q of ['zebra', 'zeb', '%22a+zebra%22', 'printer+zebra']) {
      expect(await numbersOf(agent, `q=${q}`)).toEqual([0]);
      for (const sort of ['-created_at', 'relevance']) {
        const answer = await customer('GET', `/tickets.json?q=${q}&highlight=true&total=true&sort=${sort}`);
        expect(answer.json).toMatchObject({ tickets: [], next_cursor: null });
        expect(answer.text).not.toContain('burns');
      }
    }
    const { text } = await customer('GET', '/tickets.json?q=customer+OR+burns&highlight=true');
    expect(text).not.toContain('zebra');
  });

  test('snippets in plain text mark the matches when highlight=true', async () => {
    const [found] = await search(customer, 'q=fire+smoke&highlight=true');
    expect(found?.highlights).toEqual([
      { field: 'subject', reply_id: null, snippet: 'The Café printer is on «fire»' },
      { field: 'description', reply_id: null, snippet: '«Smoke» <b>everywhere</b> & no ‹exit›' },
    ]);
    const [byReply] = await search(agent, 'q=%22a+zebra%22&highlight=true&fields=subject');
    expect(byReply?.highlights).toMatchObject([
      { field: 'reply', reply_id: expect.any(String), snippet: 'This customer burns «a zebra».' },
    ]);
    expect((await search(agent, 'q=fire'))[0]).not.toHaveProperty('highlights');
  });

  test('only the beginning of long texts is searched for snippets', async () => {
    const filler = 'giraffe '.repeat(1_300);
    const { id } = await api.addTicket({ subject: 'Okapi', description: `${filler}okapi` });
    for (const body of [`okapi ${filler}`, `okapi ${filler}`])
      await agent('POST', `/ticket/${id}/replies.json`, { body });
    const [found] = await search(agent, 'q=okapi&highlight=true');
    const places = found?.highlights?.map(({ field }) => field);
    expect(places).toEqual(['subject', 'reply']);
  });

  test('XML has the same snippets, escaped, and both formats conform to the contract', async () => {
    const { json } = await agent('GET', '/openapi-full.json');
    const assertMatchesContract = createContractCheck(json as unknown as OpenApiDocument);
    for (const format of ['json', 'xml']) {
      const path = `/tickets.${format}`;
      const answer = await customer('GET', `${path}?q=smoke&highlight=true`);
      expect(answer.status).toBe(200);
      assertMatchesContract('GET', path, answer);
    }
    const { text } = await customer('GET', '/tickets.xml?q=smoke&highlight=true');
    expect(text).toContain(
      '<highlight><field>description</field><reply_id nil="true"/><snippet>«Smoke» &lt;b&gt;everywhere&lt;/b&gt; &amp; no ‹exit›</snippet></highlight>',
    );
  });

  test.each(['-created_at', 'created_at', '-updated_at', 'relevance'])(
    'pages by %s return each ticket once, in the order of the whole list',
    async (sort) => {
      const whole = await numbersOf(agent, `q=printer&sort=${sort}`);
      const seen: number[] = [];
      let cursor = '';
      do {
        const query = `q=printer&sort=${sort}&limit=1${cursor && `&cursor=${cursor}`}`;
        const { json } = await agent('GET', `/tickets.json?${query}`);
        seen.push(...(json.tickets as Found[]).map(({ id }) => ids.indexOf(id)));
        cursor = String(json.next_cursor ?? '');
      } while (cursor !== '');
      expect(seen).toEqual(whole);
    },
  );

  test('a cursor continues only the search that it came from', async () => {
    const { json } = await agent('GET', '/tickets.json?q=printer&sort=relevance&limit=1');
    for (const query of ['q=print&sort=relevance', 'q=printer', 'sort=-created_at']) {
      const answer = await agent('GET', `/tickets.json?${query}&cursor=${json.next_cursor}`);
      expect(answer.status).toBe(400);
      expect(answer.json.errors).toMatchObject([{ field: 'cursor' }]);
    }
  });

  test.each([
    ['q=', 'q', 'letter'],
    ['q=%26+-', 'q', 'letter'],
    ['q=27%22+screen', 'q', 'quotation mark'],
    [`q=${'x'.repeat(201)}`, 'q', '200'],
    [`q=${'x+'.repeat(11)}`, 'q', '10 words'],
    ['sort=relevance', 'sort', 'without q'],
    ['highlight=true', 'highlight', 'without q'],
    ['query=x', 'query', 'did you mean q?'],
  ])('%s is rejected with an explanation', async (query, field, message) => {
    const answer = await agent('GET', `/tickets.json?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json.errors).toMatchObject([{ field, message: expect.stringContaining(message) }]);
  });
}

onEveryEngine((createDatabase) => describe('a search', () => searchOverHttp(createDatabase)));
