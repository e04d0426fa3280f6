import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { AppError, lazyModule } from '../index.ts';

function writeModule(content: string) {
  const folder = mkdtempSync(join(tmpdir(), 'lazy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'module.cjs');
  const write = (text: string) => writeFileSync(path, text);
  write(content);
  return { from: pathToFileURL(join(folder, 'caller.js')).href, write };
}

it('loads a module once, with the first call', () => {
  const { from, write } = writeModule('throw new Error("too early")');
  const load = lazyModule<{ value: number }>('./module.cjs', from);
  write('exports.value = Math.random()');
  expect(load().value).toBe(load().value);
});

it('is unavailable while a module cannot be loaded, and tries again with the next call', () => {
  const { from, write } = writeModule('throw new Error("no memory")');
  const load = lazyModule<{ value: number }>('./module.cjs', from);
  for (const _ of [1, 2]) {
    expect(load).toThrow(expect.objectContaining({ code: 'unavailable', cause: new Error('no memory') }));
    expect(load).toThrow(AppError);
  }
  write('exports.value = 1');
  expect(load()).toEqual({ value: 1 });
});

it('rejects a module that is not installed before the first call', () => {
  expect(() => lazyModule('not-installed', import.meta.url)).toThrow("Cannot find module 'not-installed'");
});
