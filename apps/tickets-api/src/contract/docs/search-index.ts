import type { DescribedOperation } from './described-operations.ts';
import type { GuideGroup } from './guides.ts';
import { toReaderAnchor } from './operation-list.ts';

/** One result that the search of the guides can show. */
export interface SearchEntry {
  title: string;
  /** The page of a section; the method and path of an operation. */
  where: string;
  /** The address below `/docs`, with its anchor. */
  address: string;
  text: string;
}

/** Every section of the guides and every operation. */
export function createSearchIndex(
  groups: readonly GuideGroup[],
  operations: readonly DescribedOperation[],
): SearchEntry[] {
  const sections = groups.flatMap(({ guides }) =>
    guides.flatMap(({ slug, title, sections }) =>
      sections.map(({ id, heading, text }) => ({
        title: heading,
        where: title,
        address: `${slug}#${id}`,
        text,
      })),
    ),
  );
  const references = operations.map(({ id, tag, method, path, summary, description = '' }) => ({
    title: summary,
    where: `${method} ${path}`,
    address: `reference#${toReaderAnchor({ tag, id })}`,
    text: description,
  }));
  return [...sections, ...references];
}
