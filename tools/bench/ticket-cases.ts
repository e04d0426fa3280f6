import type { Comparison } from './comparison.ts';
import type { Load } from './load.ts';

/** A case of the API; its baseline is added when its responses are recorded. */
export type TicketCase = Omit<Comparison, 'baseline'>;

/**
 * Creates the cases that read and create single tickets.
 *
 * A creation takes 0.6 to 0.8 ms of CPU time with 16 concurrent ones, which share a commit (10,000 tickets stored, busy
 * machine). A profile with 16 concurrent creations:
 *
 * | part | share |
 * |---|---|
 * | `COMMIT` of the group: pages to the log and the disk, search index | 23 % |
 * | ticket, tags and readers in their tables and indexes | 10 % |
 * | Node.js, Koa and its router up to the route | 8 % |
 * | searchable text: words, rows | 3 % |
 * | change feeds of staff and of readers | 4 % |
 * | looking up its people, rules | 4 % |
 * | sending the response | 5 % |
 * | event | 3 % |
 * | log line | 3 % |
 * | access token | 3 % |
 * | parsing and checking the body | 2 % |
 * | garbage collection | 3 % |
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
    { name: 'get one, JSON', target: 0.45, keydesk: read(some.map((id) => `/ticket/${id}.json`)) },
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
