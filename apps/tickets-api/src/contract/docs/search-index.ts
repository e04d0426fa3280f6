import type { DescribedOperation } from './described-operations.ts';
import type { GuideGroup } from './guides.ts';
import { toReaderAnchor } from './operation-list.ts';

/** Entry of the search index. */
export interface SearchEntry {
  title: string;
  /** Title of the page for a section; method and path for an operation. */
  where: string;
  /** URL below `/docs`, with anchor. */
  address: string;
  text: string;
}

/** Creates the search index over the sections of all guides and all operations. */
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
