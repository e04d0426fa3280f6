import type { FeedItem, FeedPage } from '../../helpdesk/feed/feed-item.ts';
import type { Send } from '../people/people.fixture.ts';

/** Local copy of a client: the latest state of each ticket and reply in its feed. */
export interface Copy {
  apply(lines: readonly FeedItem[]): void;
  /** Resources by kind and id. */
  resources(): Record<string, unknown>;
  /** Keys of received tombstones: `ticket ID` or `reply ID`. */
  deleted: Set<string>;
}

export function createCopy(): Copy {
  const resources = new Map<string, unknown>();
  const deleted = new Set<string>();
  return {
    apply(lines) {
      for (const { type, id, deleted: isDeleted, ticket, reply } of lines) {
        const key = `${type} ${id}`;
        if (isDeleted) deleted.add(key);
        if (isDeleted) resources.delete(key);
        else resources.set(key, ticket ?? reply);
      }
    },
    resources: () => Object.fromEntries(resources),
    deleted,
  };
}

/** Reads a page of changes. */
export async function readChanges(send: Send, query: string): Promise<FeedPage> {
  const { status, json, text } = await send('GET', `/changes.json${query}`);
  if (status !== 200) throw new Error(text);
  return json as unknown as FeedPage;
}

/** Reads all pages to the end; returns the feed position there. */
export async function readToTheEnd(
  send: Send,
  { copy, since, limit = 3 }: { copy: Copy; since?: string; limit?: number },
): Promise<string> {
  for (let position = since; ; ) {
    const page = await readChanges(send, `?limit=${limit}${position ? `&since=${position}` : ''}`);
    copy.apply(page.changes);
    position = page.position;
    if (!page.has_more) return position;
  }
}

/** Reads the resources of all lists, by kind and id. */
export async function readLists(send: Send): Promise<Record<string, unknown>> {
  const tickets = await readList(send, '/tickets.json', 'tickets');
  const replies = await Promise.all(
    tickets.map(({ id }) => readList(send, `/ticket/${id}/replies.json`, 'replies')),
  );
  return Object.fromEntries([
    ...tickets.map((ticket) => [`ticket ${ticket.id}`, ticket]),
    ...replies.flat().map((reply) => [`reply ${reply.id}`, reply]),
  ]);
}

async function readList(send: Send, path: string, plural: string): Promise<{ id: string }[]> {
  const all: { id: string }[] = [];
  for (let cursor: unknown = ''; cursor !== null; ) {
    const { json } = await send('GET', `${path}?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
    all.push(...(json[plural] as { id: string }[]));
    cursor = json.next_cursor;
  }
  return all;
}

/** Event of a stream (HTML Living Standard §9.2.6) with parsed data. */
export type StreamEvent = { id: string | undefined } & (
  | { event: 'change'; data: FeedItem }
  | { event: 'position' | 'closing' | 'problem'; data: Readonly<Record<string, unknown>> }
);

/** Reads the events of a response as they arrive; `undefined` stands for a heartbeat. */
export async function* readEvents(response: Response): AsyncGenerator<StreamEvent | undefined> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) yield undefined;
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)));
      if (fields.event) yield { event: fields.event, id: fields.id, data: JSON.parse(fields.data) };
    }
  }
}
