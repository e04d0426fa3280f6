import type { Load } from './load.ts';
import type { TicketCase } from './ticket-cases.ts';

interface Target {
  api: string;
  headers: Readonly<Record<string, string>>;
  ids: readonly string[];
}

const PAGE = 50;
const WINDOWS = 20;
const FEED_PAGES = 150;

/**
 * Creates lists, searches and feed pages that no response cache can serve. Each path of a list ends in a lower bound of
 * its sort time, and `Load.hasUniqueTimes` sets a different time before all tickets in each request. The filter
 * differs, but the response is the same except for its cursor. So the baseline sends the same bytes, and caches of
 * statements or tickets help as in production, where agents request overlapping lists. The lists have several filters,
 * sorts and positions; each is a full page. Feed requests differ by position and are never cached.
 */
export async function uncachedCases(target: Target): Promise<TicketCase[]> {
  const times = await readTimes(target);
  const lists = toLists(times);
  const load = (paths: readonly string[]): Load => ({
    url: target.api,
    requests: paths.map((path) => ({ method: 'GET', path, headers: target.headers })),
    hasUniqueTimes: true,
  });
  const feed: Load = { ...load(await readFeedPaths(target)), hasUniqueTimes: false };
  return [
    { name: 'list of 50, new each time, JSON', target: 0.3, keydesk: load(lists) },
    {
      name: 'list of 50, new each time, XML',
      target: 0.2,
      keydesk: load(lists.map((path) => path.replace('.json', '.xml'))),
    },
    { name: 'search, new each time, JSON', target: 0.15, keydesk: load(toSearches(times)) },
    { name: 'changes, pages of 50, JSON', target: 0.25, keydesk: feed },
  ];
}

/** Reads ordered creation times from the second half of the tickets, so that enough tickets precede each. */
async function readTimes({ api, headers, ids }: Target): Promise<string[]> {
  const times: string[] = [];
  for (let i = 0; i < WINDOWS; i++) {
    const id = ids[Math.floor(ids.length * (0.5 + i / (2 * WINDOWS)))];
    const response = await fetch(`${api}/ticket/${id}.json?fields=created_at`, { headers });
    times.push(((await response.json()) as { created_at: string }).created_at);
  }
  return times.toSorted();
}

function toLists(times: readonly string[]): string[] {
  return times.flatMap((time, i) => {
    const filters = [
      '',
      'status=open&',
      'status=new,open&',
      'priority=urgent&',
      `assignee=agent${1 + 3 * (i % 6)}@example.com&`,
      `tag=batch-${i}&`,
    ];
    const orders = [
      'sort=-created_at&created_at',
      'sort=-updated_at&updated_at',
      'sort=-priority&created_at',
    ];
    return filters.map((filter, n) => {
      const order = String(orders[(i + n) % orders.length]);
      const field = order.split('&')[1];
      return `/tickets.json?limit=${PAGE}&${filter}${order}[lt]=${time}&${field}[gte]=`;
    });
  });
}

/** Searches a frequent word, two words, a prefix and a rare word. */
function toSearches(times: readonly string[]): string[] {
  const words = ['printer', 'invoice', 'password', 'refund', 'screen', 'network'];
  return times.flatMap((time, i) => {
    const word = words[i % words.length];
    const other = words[(i + 1) % words.length];
    return [word, `${word}%20${other}`, word?.slice(0, 4), `model${i}`].map(
      (text) => `/tickets.json?limit=${PAGE}&q=${text}&created_at[lt]=${time}&created_at[gte]=`,
    );
  });
}

/** Reads the paths of feed pages by following positions. */
async function readFeedPaths({ api, headers }: Target): Promise<string[]> {
  const paths: string[] = [];
  let since = '';
  while (paths.length < FEED_PAGES) {
    const path = `/changes.json?limit=${PAGE}${since}`;
    const response = await fetch(api + path, { headers });
    const { position, has_more } = (await response.json()) as { position: string; has_more: boolean };
    if (!has_more) return paths;
    paths.push(path);
    since = `&since=${position}`;
  }
  return paths;
}
