import type { SizeSample } from './size-cases.ts';
import type { SizeServer } from './size-server.ts';

interface SampledTicket {
  id: string;
  subject: string;
  requester: { email: string } | null;
  assignee: { email: string } | null;
  tags: string[];
}

const PAGES = 20;

/** Samples tickets across three years. */
export async function takeSample({ get }: SizeServer): Promise<SizeSample> {
  const tickets: SampledTicket[] = [];
  for (let i = 0; i < PAGES; i++) {
    const before = new Date(Date.now() - (i * 3 * 365 * 24 * 60 * 60 * 1000) / PAGES).toISOString();
    const { text } = await get(`/tickets.json?limit=10&created_at[lt]=${before}`);
    tickets.push(...(JSON.parse(text) as { tickets: SampledTicket[] }).tickets);
  }
  const words = tickets.map(({ subject }) => subject.split(' ').at(-1) ?? 'printer');
  return {
    ids: tickets.map(({ id }) => id),
    requesters: someByFrequency(tickets.map(({ requester }) => requester?.email)),
    assignees: someByFrequency(tickets.map(({ assignee }) => assignee?.email)),
    tags: someByFrequency(tickets.flatMap(({ tags }) => tags)),
    words: ['the', 'printer', 'after', ...words.filter((word) => word.length > 3).slice(0, 12)],
  };
}

/** Returns the five most frequent and five of the rarest values. */
function someByFrequency(values: readonly (string | undefined)[]): string[] {
  const groups = [...Map.groupBy(values, (value) => value)].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  const sorted = groups.flatMap(([value]) => value ?? []);
  return [...new Set([...sorted.slice(0, 5), ...sorted.slice(-5)])];
}
