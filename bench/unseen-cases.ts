import type { Load } from './load.ts';
import type { TicketCase } from './ticket-cases.ts';

interface World {
  api: string;
  headers: Readonly<Record<string, string>>;
  ids: readonly string[];
}

const PAGE = 50;
const WINDOWS = 20;
const FEED_PAGES = 150;

/**
 * Lists, searches and pages of the feed that no memory of answers can serve. Each path of a list ends in a lower bound
 * of the time that it is sorted by, and `Load.hasOwnTimes` makes that another time of before all tickets in each request:
 * another filter with the same answer but for the text of its cursor. So the yardstick sends the same bytes, and a memory
 * of statements or of single tickets helps as it does in production, where agents ask for overlapping lists. The lists
 * are of several filters, sorts and places; each is a full page. The feed has no filter, so its requests differ by
 * position; nothing remembers its answers.
 */
export async function unseenCases(world: World): Promise<TicketCase[]> {
  const times = await readTimes(world);
  const lists = toLists(times);
  const load = (paths: readonly string[]): Load => ({
    url: world.api,
    requests: paths.map((path) => ({ method: 'GET', path, headers: world.headers })),
    hasOwnTimes: true,
  });
  const feed: Load = { ...load(await readFeedPaths(world)), hasOwnTimes: false };
  return [
    { name: 'list of 50, new each time, JSON', toReach: 0.25, keydesk: load(lists) },
    {
      name: 'list of 50, new each time, XML',
      toReach: 0.2,
      keydesk: load(lists.map((path) => path.replace('.json', '.xml'))),
    },
    { name: 'search, new each time, JSON', toReach: 0.15, keydesk: load(toSearches(times)) },
    { name: 'changes, pages of 50, JSON', toReach: 0.25, keydesk: feed },
  ];
}

/** When tickets were made, in order, from so early on that enough of each kind are before. */
async function readTimes({ api, headers, ids }: World): Promise<string[]> {
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

/** For a word that nearly all tickets have, for two of them, for the beginning of one, and for one that few have. */
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

/** Paths of pages of the feed, by its own positions. */
async function readFeedPaths({ api, headers }: World): Promise<string[]> {
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
