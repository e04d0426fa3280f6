import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';

const table = execFileSync(process.execPath, [join(import.meta.dirname, '../settings-table.ts')], {
  encoding: 'utf8',
});

function readPage(name: string): string {
  return readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
}

test('the table of docs/settings.md matches the apps; `npm run settings` updates it', () => {
  expect(readPage('settings.md')).toContain(table.trim());
});

test('docs/operations.md groups every setting by feature', () => {
  const [, groups = ''] = readPage('operations.md').split('## Settings by feature');
  const patterns = [...groups.matchAll(/`([A-Z_*]+)`/g)].map(([, pattern = '']) => pattern);
  const names = [...table.matchAll(/^\| `([A-Z_0-9]+)/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !patterns.some((pattern) => matchesGlob(name, pattern)))).toEqual([]);
  expect(patterns.filter((pattern) => !names.some((name) => matchesGlob(name, pattern)))).toEqual([]);
});
