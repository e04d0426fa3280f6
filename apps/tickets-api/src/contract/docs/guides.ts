import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type RenderedMarkdown, renderMarkdown } from './markdown.ts';

/** Page of the `docs` folder of the repository, served below `/docs`. */
export interface Guide extends RenderedMarkdown {
  /** Path of the file below the `docs` folder. */
  file: string;
  /** Last segment of its URL; empty for the start page. */
  slug: string;
}

/** Section of the navigation. */
export interface GuideGroup {
  title: string;
  guides: readonly Guide[];
}

const folder = new URL('../../../../../docs/', import.meta.url);

const START_FILE = 'guides/README.md';
/** Navigation, in order. */
const groups: readonly { title: string; files: readonly string[] }[] = [
  {
    title: 'Guides',
    files: [
      START_FILE,
      'guides/quick-start.md',
      'guides/authentication.md',
      'guides/lists.md',
      'guides/changes.md',
      'guides/safe-changes.md',
      'guides/errors.md',
    ],
  },
  {
    title: 'Resources',
    files: [
      'guides/tickets.md',
      'guides/replies.md',
      'guides/history.md',
      'guides/people.md',
      'guides/rights.md',
      'guides/custom-fields.md',
      'guides/statuses.md',
      'guides/search.md',
      'guides/external-ids.md',
      'guides/formats.md',
    ],
  },
  { title: 'In detail', files: ['http-api.md', 'status-codes.md', 'versioning.md', 'changelog.md'] },
  {
    title: 'Client libraries',
    files: ['connect.md', 'generated-clients.md', ...globSync('connect/*.md', { cwd: folder }).toSorted()],
  },
];

/** Reads and renders all served pages in the order of the navigation. */
export function readGuides(): GuideGroup[] {
  const slugs = new Map(groups.flatMap(({ files }) => files.map((file) => [file, toSlug(file)])));
  return groups.map(({ title, files }) => ({
    title,
    guides: files.map((file) => readGuide(file, slugs)),
  }));
}

function readGuide(file: string, slugs: ReadonlyMap<string, string>): Guide {
  const markdown = readFileSync(new URL(file, folder), 'utf8');
  const rendered = renderMarkdown(markdown, (href) => toServedLink(href, file, slugs));
  return { ...rendered, file, slug: toSlug(file) };
}

/** Returns the slug of a file: `errors` for `guides/errors.md`, `connect-go` for `connect/go.md`. */
function toSlug(file: string): string {
  if (file === START_FILE) return '';
  return file
    .replace(/^guides\//, '')
    .replaceAll('/', '-')
    .replace(/\.md$/, '');
}

/** Resolves a link relative to the page that has it; `undefined` for a file that is not served. */
function toServedLink(href: string, from: string, slugs: ReadonlyMap<string, string>): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const slug = slugs.get(posix.join(posix.dirname(from), path));
  if (slug === undefined) return undefined;
  return toAddress(slug, toSlug(from)) + (anchor === undefined ? '' : `#${anchor}`);
}

/** Returns the URL of a page of `/docs` relative to another one, which works below any base path. */
export function toAddress(slug: string, from: string): string {
  if (from === '') return slug === '' ? 'docs' : `docs/${slug}`;
  return slug === '' ? '../docs' : slug;
}
