import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{apps,packages,infra,examples}/**/*.test.ts'],
    globalSetup: 'infra/test-folder.ts',
    pool: 'forks',
    maxWorkers: 2,
    // These bound nothing but what is lost: a machine with much to do takes its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default'],
  },
});
