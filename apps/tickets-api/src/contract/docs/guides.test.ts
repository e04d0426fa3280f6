import { globSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue } from '@keydesk/server';
import { describe, expect, test } from 'vitest';
import { renderGuidePage } from './guide-page.ts';
import { readGuides } from './guides.ts';

const groups = readGuides();
const guides = groups.flatMap((group) => group.guides);
const pages = new Map(
  guides.map((guide) => [
    guide.slug === '' ? '/docs' : `/docs/${guide.slug}`,
    renderGuidePage(guide, groups),
  ]),
);
const assets = ['icon.svg', 'bar.css', 'guide.css', 'search.js', 'reference'].map((name) => `/docs/${name}`);

/** All links of the pages to this server, resolved as a browser does. */
const links = [...pages].flatMap(([path, page]) =>
  [...page.matchAll(/(?:href|src)="([^"]+)"/g)]
    .map(([, href = '']) => new URL(href, `http://docs.example${path}`))
    .filter(({ host }) => host === 'docs.example')
    .map((url) => ({ path, target: url.pathname, anchor: decodeURIComponent(url.hash.slice(1)) })),
);

describe('the guides', () => {
  test('are all the files of docs/guides', () => {
    const folder = join(import.meta.dirname, '../../../../../docs');
    const files = globSync('guides/*.md', { cwd: folder });
    expect(guides.map(({ file }) => file).filter((file) => file.startsWith('guides/'))).toEqual(
      expect.arrayContaining(files),
    );
  });

  test('link only to served pages and existing anchors', () => {
    expect(links.length).toBeGreaterThan(pages.size);
    const dead = links.filter(({ target, anchor }) => {
      const page = pages.get(target);
      if (page === undefined) return !assets.includes(target);
      return anchor !== '' && !page.includes(`id="${anchor}"`);
    });
    expect(dead).toEqual([]);
  });

  test('have no inline script, style or handler, and load nothing from other origins', () => {
    for (const page of pages.values()) {
      expect(page).not.toMatch(/<style|style=| on\w+="|javascript:/);
      expect(page.match(/<script[^>]*>/g)).toHaveLength(1);
      expect(page).not.toMatch(/<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?\/\//);
    }
  });

  test('each have one first-level heading and unique section ids', () => {
    for (const { file, sections } of guides) {
      expect(
        sections.filter(({ level }) => level === 1),
        file,
      ).toHaveLength(1);
      expect(new Set(sections.map(({ id }) => id)).size, file).toBe(sections.length);
    }
  });

  test('explain each problem code in its own section', () => {
    const errors = guides.find(({ slug }) => slug === 'errors');
    const codes = errors?.sections.filter(({ level }) => level === 3).map(({ id }) => id);
    expect(codes?.toSorted()).toEqual(Object.keys(catalogue).toSorted());
    for (const section of errors?.sections ?? []) {
      if (section.level === 3) expect(section.text, section.id).toMatch(/\w[.)]+$/);
    }
  });
});
