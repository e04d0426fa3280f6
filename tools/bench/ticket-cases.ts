import type { Comparison } from './comparison.ts';
import type { Load } from './load.ts';

/** A case of the API; its baseline is added when its responses are recorded. */
export type TicketCase = Omit<Comparison, 'baseline'>;

/**
 * Creates the cases that read and create single tickets.
 *
 * A creation takes 1.1 ms of CPU time with 16 concurrent ones, which share a commit, and 2.1 to 2.4 ms alone (12,000
 * tickets stored, two busy cores). A profile with 16 concurrent creations:
 *
 * | part | share |
 * |---|---|
 * | `COMMIT` of the group: pages to the log and the disk, search index | 40 % |
 * | ticket, tags and readers in their tables and indexes | 9 % |
 * | searchable text: words, rows, full-text index | 8 % (with its share of the commit 15 %: without the index 0.17 ms less) |
 * | change feeds of staff and of readers | 7 % |
 * | looking up its people | 5 % |
 * | Node.js and Koa up to the route | 5 % |
 * | event | 2 % |
 * | parsing and checking the body | 4 % |
 *
 * An Idempotency-Key adds 0.1 ms. Merging segments of the full-text index less often (`automerge`) changes nothing.
 *
 * Reads are spread over the whole table, so that a cache of few rows does not improve the figure.
 */
export async function ticketCases(
  api: string,
  headers: Record<string, string>,
  ids: readonly string[],
): Promise<TicketCase[]> {
  const read = (paths: readonly string[]): Load => ({
    url: api,
    requests: paths.map((path) => ({ method: 'GET', path, headers })),
  });
  const create = (format: string, contentType: string, body: string): Load => ({
    url: api,
    requests: [
      {
        method: 'POST',
        path: `/tickets.${format}`,
        headers: { ...headers, 'Content-Type': contentType },
        body,
      },
    ],
  });
  const some = ids.filter((_, i) => i % Math.ceil(ids.length / 1000) === 0);
  return [
    { name: 'get one, JSON', target: 0.4, keydesk: read(some.map((id) => `/ticket/${id}.json`)) },
    { name: 'get one, XML', target: undefined, keydesk: read(some.map((id) => `/ticket/${id}.xml`)) },
    {
      name: 'create (durable), JSON',
      target: undefined,
      keydesk: create(
        'json',
        'application/json',
        '{"subject":"Bench","description":"A ticket","tags":["bench"]}',
      ),
    },
    {
      name: 'create (durable), XML',
      target: undefined,
      keydesk: create(
        'xml',
        'application/xml',
        '<ticket><subject>Bench</subject><description>A ticket</description><tags><tag>bench</tag></tags></ticket>',
      ),
    },
  ];
}

/** Compares conditional requests with fetching the same tickets: a 304 costs no more than a 200. */
export async function notModifiedCase(
  api: string,
  headers: Record<string, string>,
  ids: readonly string[],
): Promise<Comparison> {
  const fetching = ids.slice(0, 200).map((id) => ({ method: 'GET', path: `/ticket/${id}.json`, headers }));
  const asking = [];
  for (const request of fetching) {
    const response = await fetch(api + request.path, { method: 'HEAD', headers });
    const ifNoneMatch = { 'If-None-Match': response.headers.get('ETag') ?? '' };
    asking.push({ ...request, headers: { ...headers, ...ifNoneMatch } });
  }
  return {
    name: 'get one, JSON, known (304)',
    target: 1,
    keydesk: { url: api, requests: asking },
    baseline: { url: api, requests: fetching },
  };
}
