const CONCURRENCY = 32;
const words =
  'printer invoice login password order refund delivery mobile screen network email account update error slow'.split(
    ' ',
  );
const statuses = ['new', 'open', 'pending', 'hold', 'solved', 'closed'];
const priorities = ['low', 'normal', 'high', 'urgent'];

interface Target {
  api: string;
  headers: Readonly<Record<string, string>>;
}

/** Creates tickets of typical size through the API, all with the given `fields`; resolves with their ids. */
export async function seed({
  api,
  headers,
  count,
  fields = {},
}: Target & { count: number; fields?: object }): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  async function work(): Promise<void> {
    while (next < count) {
      const response = await fetch(`${api}/tickets.json`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...ticket(next++), ...fields }),
      });
      if (response.status !== 201) throw new Error(`seeding: ${response.status} ${await response.text()}`);
      ids.push(((await response.json()) as { id: string }).id);
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return ids;
}

/** Creates a deterministic ticket from its number. */
function ticket(n: number) {
  const word = (i: number) => words[(n * 7 + i * 13 + ((n * i) >> 3)) % words.length];
  const sentence = (length: number) => Array.from({ length }, (_, i) => word(i)).join(' ');
  return {
    subject: sentence(5),
    description: `${sentence(40)}.\n\n"${sentence(20)}" & <${word(3)}> of model${n % 100}`,
    status: statuses[n % statuses.length],
    priority: priorities[n % priorities.length],
    requester: { email: `customer${n % 500}@example.com`, name: `Customer ${n % 500}` },
    assignee: n % 3 === 0 ? null : { email: `agent${n % 20}@example.com`, name: `Agent ${n % 20}` },
    tags: [word(1), `batch-${n % 50}`],
    custom_fields: { order_number: String(100_000 + n), floor: n % 9, vip: n % 10 === 0 },
  };
}
