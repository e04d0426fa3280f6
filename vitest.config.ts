import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, matchesGlob, relative } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Suites of browsers, and of clients of other authors. */
const browser = ['**/*.e2e.test.ts', '**/*chromium.test.ts', 'tools/interop/*', 'examples/**'];

/** Suites that start and kill programs, and suites that take more than four seconds. */
const slow = [
  '{infra,tools}/**',
  '**/cli/**',
  '**/src/main.test.ts',
  '**/workers.test.ts',
  '**/{email-changes,password-changes,password-hasher,sign-up}.test.ts',
  '**/changes/{event-stream,waiting}.test.ts',
  '**/{contract,hostile-bodies,jwks,key-set,repeated-reads,smtp-mailer}.test.ts',
  'packages/storage/src/sqlite/{group-commit,sqlite}.test.ts',
];

/** Names a service, or runs on both engines. */
const namesService = /\b(describeWith|onEveryEngine)\(/;

const root = import.meta.dirname;
/** Folder of the workspace whose script npm runs; empty at the root. A filter picks among its files. */
const workspace = relative(root, dirname(process.env.npm_package_json ?? `${root}/package.json`));
const files = (await Array.fromAsync(glob('{apps,packages,infra,tools,examples}/**/*.test.ts', { exclude })))
  .filter((file) => file.startsWith(workspace))
  .sort();
const byProject = Object.groupBy(files, projectOf);

function exclude(name: string): boolean {
  return name.split('/').at(-1) === 'node_modules';
}

function projectOf(file: string): string {
  const isAmong = (patterns: readonly string[]) => patterns.some((pattern) => matchesGlob(file, pattern));
  if (isAmong(browser)) return 'browser';
  if (namesService.test(readFileSync(file, 'utf8'))) return 'databases';
  return isAmong(slow) ? 'slow' : 'fast';
}

export default defineConfig({
  test: {
    projects: Object.entries(byProject).map(([name, include = []]) => ({
      extends: true,
      test: { name, include },
    })),
    globalSetup: 'tools/test-folder.ts',
    pool: 'forks',
    // Suites share no state: modules have none, and each suite has its own servers and databases.
    isolate: false,
    // One more than the cores of a small machine: suites that start programs mostly wait.
    maxWorkers: 3,
    // These bound nothing but what is lost: a machine with much to do takes its time.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default'],
  },
});
