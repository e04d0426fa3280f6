import type { Comparison } from './comparison.ts';
import type { Load } from './load.ts';

/** A case of the API; its yardstick is known once its answers were recorded. */
export type TicketCase = Omit<Comparison, 'yardstick'>;

/**
 * A creation takes 1.1 ms of CPU time among 16 at once, which share a commit, and 2.1 to 2.4 ms alone (12,000 tickets
 * stored, two busy cores). Its parts, by a profile of 16 at once:
 *
 * | part | share |
 * |---|---|
 * | `COMMIT` of the group: pages into the log and to the disk, the search index written out | 40 % |
 * | ticket, tags and readers in their tables and indexes | 9 % |
 * | searchable text: words, rows, full-text index | 8 % (with its share of the commit 15 %: without the index 0.17 ms less) |
 * | change feeds of staff and of readers | 7 % |
 * | finding the people that it names | 5 % |
 * | Node.js and Koa until the route | 5 % |
 * | event | 2 % |
 * | parsing and checking the body | 4 % |
 *
 * An Idempotency-Key adds 0.1 ms. Merging segments of the full-text index less often (`automerge`) changes nothing.
 *
 * Reads go over the whole table at random, so that no cache of a few rows makes the figure.
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
    { name: 'get one, JSON', toReach: 0.4, keydesk: read(some.map((id) => `/ticket/${id}.json`)) },
    { name: 'get one, XML', toReach: undefined, keydesk: read(some.map((id) => `/ticket/${id}.xml`)) },
    {
      name: 'create (durable), JSON',
      toReach: undefined,
      keydesk: create(
        'json',
        'application/json',
        '{"subject":"Bench","description":"A ticket","tags":["bench"]}',
      ),
    },
    {
      name: 'create (durable), XML',
      toReach: undefined,
      keydesk: create(
        'xml',
        'application/xml',
        '<ticket><subject>Bench</subject><description>A ticket</description><tags><tag>bench</tag></tags></ticket>',
      ),
    },
  ];
}

/** Asks by entity tag whether tickets have changed, against fetching the same ones: a 304 costs no more than a 200. */
export async function knownCase(
  api: string,
  headers: Record<string, string>,
  ids: readonly string[],
): Promise<Comparison> {
  const fetching = ids.slice(0, 200).map((id) => ({ method: 'GET', path: `/ticket/${id}.json`, headers }));
  const asking = [];
  for (const request of fetching) {
    const response = await fetch(api + request.path, { method: 'HEAD', headers });
    const known = { 'If-None-Match': response.headers.get('ETag') ?? '' };
    asking.push({ ...request, headers: { ...headers, ...known } });
  }
  return {
    name: 'get one, JSON, known (304)',
    toReach: 1,
    keydesk: { url: api, requests: asking },
    yardstick: { url: api, requests: fetching },
  };
}
