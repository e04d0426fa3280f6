import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test("the README's table of settings is what the apps read; `node infra/settings-table.ts --write` renews it", () => {
  const table = execFileSync('node', [join(import.meta.dirname, 'settings-table.ts')], { encoding: 'utf8' });
  expect(readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')).toContain(table.trim());
});
