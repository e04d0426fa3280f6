import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../apps/tickets-api/src/contract/docs/markdown.ts';

const root = join(import.meta.dirname, '..');
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const pages = new Map(tracked.filter((file) => file.endsWith('.md')).map((file) => [file, readPage(file)]));

interface Page {
  text: string;
  links: readonly string[];
  anchors: ReadonlySet<string>;
}

function readPage(file: string): Page {
  const text = readFileSync(join(root, file), 'utf8');
  const links: string[] = [];
  const { sections } = renderMarkdown(text, (href) => {
    links.push(href);
    return href;
  });
  return { text, links, anchors: new Set(sections.map(({ id }) => id)) };
}

function isDead(file: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : posix.join(posix.dirname(file), path);
  if (!existsSync(join(root, target))) return true;
  const page = pages.get(target);
  return anchor !== undefined && page !== undefined && !page.anchors.has(decodeURIComponent(anchor));
}

/** Paths of sources in inline code, such as `keys/sealing.ts`; a pattern or a path of a dependency is not one. */
function findSources(text: string): string[] {
  const code = text
    .replaceAll(/^```.*?^```/gms, '')
    .matchAll(/`([\w-][\w./-]*\/[\w.-]+\.(?:ts|mjs|sh|py|eta|css))`/g);
  return [...code].map(([, path = '']) => path);
}

test('no file contains conflict markers', () => {
  const { stdout } = spawnSync('git', ['grep', '-IlE', '^(<{7}|>{7}) '], { cwd: root, encoding: 'utf8' });
  expect(stdout).toBe('');
});

describe('every page of Markdown', () => {
  test('links to existing files and headings', () => {
    const dead = [...pages].flatMap(([file, { links }]) =>
      links.filter((link) => !/^[a-z]+:/.test(link) && isDead(file, link)).map((link) => `${file}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  test('names source files by the end of their path', () => {
    const missing = [...pages].flatMap(([file, { text }]) =>
      findSources(text)
        .filter((path) => !tracked.some((each) => `/${each}`.endsWith(`/${path}`)))
        .map((path) => `${file}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  test('has at most 150 lines below docs', () => {
    const long = [...pages].filter(
      ([file, { text }]) => file.startsWith('docs/') && text.split('\n').length > 151,
    );
    expect(long.map(([file]) => file)).toEqual([]);
  });
});

describe('the decisions', () => {
  const files = globSync('docs/decisions/[0-9]*.md', { cwd: root }).toSorted();
  const index = readFileSync(join(root, 'docs/decisions/README.md'), 'utf8');

  test('each have the number of the file, a status and a date', () => {
    for (const file of files) {
      const number = Number(basename(file).slice(0, 4));
      expect(pages.get(file)?.text, file).toMatch(
        new RegExp(
          `^# ${number}\\. .+\\n\\nStatus: (?:accepted|superseded by \\[.+\\)). Date: \\d{4}-\\d\\d-\\d\\d\\.\\n`,
        ),
      );
    }
  });

  test('are all in the index with their titles', () => {
    for (const file of files) {
      const title = /^# \d+\. (.+)$/m.exec(pages.get(file)?.text ?? '')?.[1];
      expect(index).toContain(`[${title}](${basename(file)})`);
    }
  });
});
