import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the table of docs/settings.md matches the apps; `node tools/settings-table.ts --write` updates it', () => {
  const table = execFileSync(process.execPath, [join(import.meta.dirname, '../settings-table.ts')], {
    encoding: 'utf8',
  });
  expect(readFileSync(join(import.meta.dirname, '../../docs/settings.md'), 'utf8')).toContain(table.trim());
});
