import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { Viewer } from '../people/viewer.ts';
import { MAX_RANKED, toScore } from '../search/relevance.ts';
import type { TicketPosition, TicketQuery, TicketStore, TicketText } from '../tickets/ticket-store.ts';
import { canSee } from '../tickets/visibility.ts';

/** A position in a list by relevance. */
type Rank = TicketPosition & { value: string; score: number };

/**
 * Lists a page of the newest matches by descending relevance, ties newest first. Each page ranks them again and begins
 * after the rank of the last ticket on the previous page.
 *
 * @param steps most tickets that a search reads, newest first, when too many match for the text index
 */
export async function listByRelevance(
  store: Pick<TicketStore, 'find' | 'findStep' | 'listTexts'>,
  viewer: Viewer,
  { after, ...query }: TicketQuery,
  steps: number,
): Promise<{ records: readonly TicketRecord[]; end: TicketPosition | undefined }> {
  const { search = [], limit } = query;
  const visibility = { isPublicOnly: query.reader !== undefined };
  const until = await store.findStep(query, steps);
  const found = store.listTexts({ ...query, ...(until && { until }), limit: MAX_RANKED });
  const toRank = ({ id, created_at, text }: TicketText): Rank => ({
    id,
    value: created_at,
    score: toScore(text, search, visibility),
  });
  const ranks = (await Array.fromAsync(found, toRank))
    .toSorted(compareRanks)
    .filter((rank) => !after || compareRanks(rank, after as Rank) > 0);
  const page = ranks.slice(0, limit);
  const records = await Promise.all(page.map(({ id }) => store.find(id)));
  return {
    records: records.flatMap((record) => (record && isThere(viewer, record, query) ? [record] : [])),
    end: ranks.length > limit ? page.at(-1) : undefined,
  };
}

/** Whether a match still belongs in the list; it may have changed since the search. */
function isThere(viewer: Viewer, record: TicketRecord, { isDeleted = false }: TicketQuery): boolean {
  return isDeleted ? record.ticket.deleted_at !== null : canSee(viewer, record);
}

function compareRanks(one: Rank, other: Rank): number {
  if (one.score !== other.score) return other.score - one.score;
  if (one.value !== other.value) return one.value < other.value ? 1 : -1;
  return one.id === other.id ? 0 : one.id < other.id ? 1 : -1;
}
