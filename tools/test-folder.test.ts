import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { setup } from './test-folder.ts';

it('creates one folder for temporary files of all suites, and removes it after them', () => {
  expect(basename(tmpdir())).toMatch(/^keydesk-tests-\d+-/);
  const outer = tmpdir();
  const remove = setup();
  const inner = tmpdir();
  writeFileSync(join(inner, 'left-behind'), '');
  remove();
  expect(existsSync(inner)).toBe(false);
  expect(tmpdir()).toBe(outer);
});

it('removes folders of killed runs, but not of active ones', () => {
  const { pid: dead } = spawnSync(process.execPath, ['--version']);
  const [abandoned, used] = [dead, process.ppid].map((pid) => join(tmpdir(), `keydesk-tests-${pid}-x`));
  for (const folder of [abandoned, used]) mkdirSync(String(folder));
  setup()();
  expect([abandoned, used].map((folder) => existsSync(String(folder)))).toEqual([false, true]);
});
