/** Values for requests, sampled from tickets of the database. */
export interface SizeSample {
  /** Ids of tickets across the whole table. */
  ids: readonly string[];
  /** E-mail addresses; the first has very many tickets. */
  requesters: readonly string[];
  assignees: readonly string[];
  /** Tags, the most frequent first. */
  tags: readonly string[];
  /** Frequent and rare words of texts. */
  words: readonly string[];
}

/** One kind of request: all paths in turn, each with its next pages. */
export interface SizeCase {
  name: string;
  /** Role of the caller. Default: agent. */
  role?: 'customer';
  paths: readonly string[];
  /** Number of pages after the first one. */
  pages?: number;
}

const statuses = ['new', 'open', 'pending', 'hold', 'solved', 'closed'];
const sorts = ['created_at', 'updated_at', 'due_at', 'priority', 'status'].flatMap((field) => [
  field,
  `-${field}`,
]);
const list = (query: string) => `/tickets.json?limit=50&${query}`;

/** Returns all cases; add every request whose cost depends on the number of tickets. */
export function sizeCases(sample: SizeSample): readonly SizeCase[] {
  return [
    ...listCases,
    ...filterCases(sample),
    ...searchCases(sample),
    ...resourceCases(sample),
    ...feedCases,
  ];
}

/** Case whose median is compared with a small database. */
export const FIRST_PAGE = 'first page';

const listCases: readonly SizeCase[] = [
  { name: FIRST_PAGE, paths: [list('')] },
  ...sorts.map((sort) => ({ name: `sort=${sort}`, paths: [list(`sort=${sort}`)], pages: 20 })),
  { name: 'first page, XML', paths: ['/tickets.xml?limit=50'] },
  { name: 'deleted', paths: [list('deleted=true')], pages: 10 },
  { name: 'pages of 100', paths: ['/tickets.json?limit=100'], pages: 20 },
  { name: 'side-loads', paths: [list('include=requester,assignee,replies')], pages: 10 },
  { name: 'few fields', paths: [list('fields=id,subject')], pages: 10 },
  ...sorts.map((sort) => ({
    name: `customer, sort=${sort}`,
    role: 'customer' as const,
    paths: [list(`sort=${sort}`)],
    pages: 10,
  })),
  { name: 'customer, status', role: 'customer', paths: statuses.map((status) => list(`status=${status}`)) },
];

function filterCases({ requesters, assignees, tags }: SizeSample): SizeCase[] {
  const each = (name: string, values: readonly string[], sort = '-created_at'): SizeCase => ({
    name: `${name}, ${sort}`,
    paths: values.map((value) => list(`${name}=${encodeURIComponent(value)}&sort=${sort}`)),
    pages: 4,
  });
  return [
    each('status', statuses),
    each('status', statuses, 'updated_at'),
    each('priority', ['low', 'normal', 'high', 'urgent']),
    each('type', ['question', 'incident', 'problem', 'task'], '-updated_at'),
    each('channel', ['email', 'phone']),
    each('requester', requesters),
    each('requester', requesters, 'updated_at'),
    each('status', statuses, '-priority'),
    each('assignee', assignees, '-priority'),
    each('version[gt]', ['1', '100']),
    each('assignee', assignees),
    each('tag', tags),
    each('tag', tags, '-updated_at'),
    each('status', ['new,open', 'pending,hold,solved'], '-updated_at'),
    each('status[not]', ['closed', 'open']),
    each('assignee[empty]', ['true', 'false']),
    each('custom_fields.floor', ['3', '17']),
    each('custom_fields.order_number', ['100007']),
    {
      name: 'several filters',
      paths: tags.map((tag) => list(`status=open&priority=urgent&type=task&tag=${tag}`)),
    },
    {
      name: 'several filters, few matches',
      paths: requesters.map((email) => list(`status=hold&priority=low&requester=${email}&tag=topic-499`)),
    },
    { name: 'times', paths: timeRanges().map(list), pages: 4 },
    { name: 'total', paths: [list('total=true'), list('status=closed&total=true')] },
    {
      name: 'total of several filters',
      paths: ['email', 'phone'].map((channel) => list(`channel=${channel}&total=true`)),
    },
  ];
}

/** Returns a week of each of the last months, alternately by creation and update. */
function timeRanges(): string[] {
  const day = 24 * 60 * 60 * 1000;
  return Array.from({ length: 12 }, (_, month) => {
    const from = new Date(Date.now() - (month * 30 + 10) * day).toISOString();
    const to = new Date(Date.now() - (month * 30 + 3) * day).toISOString();
    const field = month % 2 === 0 ? 'created_at' : 'updated_at';
    return `${field}[gte]=${from}&${field}[lt]=${to}&status=closed`;
  });
}

function searchCases({ words }: SizeSample): SizeCase[] {
  const pairs = words.map((word, i) => `${word} ${words[(i + 1) % words.length]}`);
  const search = (name: string, texts: readonly string[], more = ''): SizeCase => ({
    name: `q, ${name}`,
    paths: texts.map((text) => list(`q=${encodeURIComponent(text)}${more}`)),
    pages: 2,
  });
  return [
    search('a word', words),
    search('two words', pairs),
    ...[2, 3, 5].map((letters) =>
      search(
        `a prefix of ${letters}`,
        words.map((word) => word.slice(0, letters)),
      ),
    ),
    search('total', words, '&total=true'),
    search(
      'a phrase',
      pairs.map((pair) => `"${pair}"`),
    ),
    search('a word and a status', words, '&status=open'),
    { ...search('by relevance', words, '&sort=relevance'), pages: 0 },
    search('highlighted', words, '&highlight=true'),
    { ...search('of a customer', words), role: 'customer' },
  ];
}

function resourceCases({ ids, requesters }: SizeSample): SizeCase[] {
  const of = (what: string) => ids.map((id) => `/ticket/${id}${what}`);
  return [
    { name: 'one ticket', paths: of('.json') },
    { name: 'replies of a ticket', paths: of('/replies.json') },
    { name: 'events of a ticket', paths: of('/events.json') },
    { name: 'people', paths: ['/people.json?limit=50'], pages: 10 },
    { name: 'people, found', paths: requesters.map((email) => `/people.json?q=${email.slice(0, 9)}`) },
    { name: 'tags', paths: ['/tags.json?limit=50'], pages: 5 },
    { name: 'tags, found', paths: ['/tags.json?q=topic-1'], pages: 1 },
  ];
}

const feedCases: readonly SizeCase[] = [
  { name: 'changes', paths: ['/changes.json?limit=50'], pages: 50 },
  { name: 'changes, the end', paths: ['/changes.json?since=now'] },
  { name: 'changes of a customer', role: 'customer', paths: ['/changes.json?limit=50'], pages: 20 },
];
