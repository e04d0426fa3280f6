import { globSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue } from '@keydesk/http';
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

/** Every address of a page that is on this server, as the path and anchor that a browser makes of it. */
const links = [...pages].flatMap(([path, page]) =>
  [...page.matchAll(/(?:href|src)="([^"]+)"/g)]
    .map(([, href = '']) => new URL(href, `http://docs.example${path}`))
    .filter(({ host }) => host === 'docs.example')
    .map((url) => ({ path, target: url.pathname, anchor: decodeURIComponent(url.hash.slice(1)) })),
);

describe('the guides', () => {
  test('are all files of docs/guides', () => {
    const folder = join(import.meta.dirname, '../../../../../docs');
    const files = globSync('guides/*.md', { cwd: folder });
    expect(guides.map(({ file }) => file).filter((file) => file.startsWith('guides/'))).toEqual(
      expect.arrayContaining(files),
    );
  });

  test('link to nothing that is not served', () => {
    expect(links.length).toBeGreaterThan(pages.size);
    const dead = links.filter(({ target, anchor }) => {
      const page = pages.get(target);
      if (page === undefined) return !assets.includes(target);
      return anchor !== '' && !page.includes(`id="${anchor}"`);
    });
    expect(dead).toEqual([]);
  });

  test('have no script, style or handler of their own, and load nothing from elsewhere', () => {
    for (const page of pages.values()) {
      expect(page).not.toMatch(/<style|style=| on\w+="|javascript:/);
      expect(page.match(/<script[^>]*>/g)).toHaveLength(1);
      expect(page).not.toMatch(/<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?\/\//);
    }
  });

  test('each have one heading of the first level, and no two sections of one id', () => {
    for (const { file, sections } of guides) {
      expect(
        sections.filter(({ level }) => level === 1),
        file,
      ).toHaveLength(1);
      expect(new Set(sections.map(({ id }) => id)).size, file).toBe(sections.length);
    }
  });

  test('explain every problem code in a section of its own (RFC 9457 §3.1.1), and no other', () => {
    const errors = guides.find(({ slug }) => slug === 'errors');
    const codes = errors?.sections.filter(({ level }) => level === 3).map(({ id }) => id);
    expect(codes?.toSorted()).toEqual(Object.keys(catalogue).toSorted());
    for (const section of errors?.sections ?? []) {
      if (section.level === 3) expect(section.text, section.id).toMatch(/\w[.)]+$/);
    }
  });
});
