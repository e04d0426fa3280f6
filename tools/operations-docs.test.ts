import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { auditEventTypes } from '../apps/auth/src/audit/audit-event.ts';
import { eventTypes } from '../apps/tickets-api/src/helpdesk/history/audit-event.ts';

const root = join(import.meta.dirname, '..');
const sources = globSync('{apps/*,packages/!(testing)}/src/**/*.ts', { cwd: root })
  .filter((file) => !/\.(?:test|fixture|contract)\.ts$/.test(file))
  .map((file) => readFileSync(join(root, file), 'utf8'));

/** Returns the first group of all matches in all sources, once each. */
function findInSources(pattern: RegExp): string[] {
  return [
    ...new Set(sources.flatMap((source) => [...source.matchAll(pattern)].map(([, found = '']) => found))),
  ];
}

/** Returns the names in the first column of the tables of a page. */
function listedIn(page: string): string[] {
  const text = readFileSync(join(root, 'docs/operations', page), 'utf8');
  const cells = [...text.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell);
  return [...new Set(cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)))];
}

describe('docs/operations', () => {
  test('audit-events.md lists every type of audit event', () => {
    expect(listedIn('audit-events.md').toSorted()).toEqual(auditEventTypes.toSorted());
  });

  test('metrics.md lists every metric', () => {
    const counters = findInSources(/\b(?:counter|gauge)\(\s*'(\w+)'/g);
    const others = findInSources(/\bname: '(\w+_(?:seconds|total))'/g);
    expect(listedIn('metrics.md').toSorted()).toEqual([...counters, ...others].toSorted());
  });

  test('log-events.md lists every message of the log', () => {
    const call = String.raw`\blog(?:\??\.(?:debug|info|warn|error|fatal)|\[[^\]]+\])\(`;
    const literal = new RegExp(String.raw`${call}.*?(?:'([^']+)'|${'`([^`]+)`'}),?\s*\)`, 'gs');
    const messages = sources.map((source) =>
      [...source.matchAll(literal)].map((match) => match[1] ?? match[2]),
    );
    // Each call ends in a literal message, so that the list is complete.
    expect(messages.map(({ length }) => length)).toEqual(
      sources.map((source) => [...source.matchAll(new RegExp(call, 'g'))].length),
    );
    const known = messages.flat().map((message = '') => message.replaceAll(/\$\{\w+\}/g, '…'));
    expect(listedIn('log-events.md').toSorted()).toEqual(
      [...new Set([...known, 'lines of the log were lost'])].toSorted(),
    );
  });
});

test('docs/guides/history.md lists every type of event', () => {
  const text = readFileSync(join(root, 'docs/guides/history.md'), 'utf8');
  const [, table = ''] = /\| event types \| of \|\n.*\n((?:\|.*\n)+)/.exec(text) ?? [];
  const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  const listed = table.split('\n').flatMap((row) => {
    const [, types, resources] = row.split('|');
    return namesIn(resources).flatMap((resource) => namesIn(types).map((type) => `${resource}.${type}`));
  });
  expect(listed.toSorted()).toEqual(eventTypes.toSorted());
});
