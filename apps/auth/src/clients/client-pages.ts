import type { Client } from './client.ts';

const PAGE_SIZE = 100;

/** Iterates over a list of clients that is read page by page. */
export async function* listPages(
  list: (page: { afterId: string | undefined; limit: number }) => Promise<readonly Client[]>,
): AsyncIterable<Client> {
  let afterId: string | undefined;
  do {
    const page = await list({ afterId, limit: PAGE_SIZE });
    yield* page;
    afterId = page.length === PAGE_SIZE ? page.at(-1)?.id : undefined;
  } while (afterId !== undefined);
}
