import type { Comparison } from './comparison.ts';
import type { Load } from './load.ts';

/** A case of the API; its yardstick is known once its answers were recorded. */
export type TicketCase = Omit<Comparison, 'yardstick'>;

/** Reads go over the whole table at random, so that no cache of a few rows makes the figure. */
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
