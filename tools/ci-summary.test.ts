import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
const summary = join(import.meta.dirname, 'ci-summary.mjs');

const passing = `it('passes', () => undefined);`;
const failing = `it('fails', () => expect(1).toBe(2));`;
const unhandled = `it('leaves a promise', () => { Promise.reject(new Error('unhandled')); });`;
const broken = `beforeAll(() => { throw new Error('no server'); });`;
const skipped = `it.skip('is for later', () => undefined);`;

describe('the CI summary', () => {
  let folder: string;
  let smoke: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'keydesk-summary-'));
    smoke = join(folder, 'smoke.json');
    writeFileSync(smoke, JSON.stringify({ passed: 10, failed: 0, skipped: 0 }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs a suite of these tests as CI does, and returns its summary. */
  function summarize(tests: readonly string[], steps = ['lint=0']) {
    const root = mkdtempSync(join(folder, 'suite-'));
    const report = join(root, 'tests.json');
    writeFileSync(
      join(root, 'suite.test.ts'),
      `import { beforeAll, expect, it } from 'vitest';\n${tests.join('\n')}`,
    );
    const reporter = ['--reporter=json', `--outputFile.json=${report}`];
    const { status } = spawnSync(process.execPath, [vitest, 'run', '--root', root, ...reporter]);
    return sumUp(report, smoke, `tests=${status}`, ...steps);
  }

  function sumUp(...args: string[]) {
    const { status, stdout } = spawnSync(process.execPath, [summary, ...args], { encoding: 'utf8' });
    return { status, lines: stdout.trim().split('\n') };
  }

  it('counts tests, the smoke test and steps, and passes when nothing failed', () => {
    expect(summarize([passing, skipped])).toEqual({ status: 0, lines: ['12 passed, 0 failed, 1 skipped'] });
  });

  it('fails with a failed test, which it names and counts once', () => {
    expect(summarize([passing, failing])).toEqual({
      status: 1,
      lines: [
        expect.stringMatching(/^FAILED: .*suite\.test\.ts: fails$/),
        '  AssertionError: expected 1 to be 2 // Object.is equality',
        '12 passed, 1 failed, 0 skipped',
      ],
    });
  });

  it('fails with a suite that could not start', () => {
    const { lines } = summarize([broken, passing]);
    expect(lines[0]).toMatch(/^FAILED: .*suite\.test\.ts/);
    expect(lines.at(-1)).toMatch(/^11 passed, 1 failed/);
  });

  it('fails with an unhandled rejection even when every test passed', () => {
    expect(summarize([passing, unhandled])).toEqual({
      status: 1,
      lines: [
        'FAILED: the tests exited with 1 although no test failed; see "Unhandled Errors" above',
        '13 passed, 1 failed, 0 skipped',
      ],
    });
  });

  it('fails with a failed step and names it', () => {
    expect(summarize([passing], ['lint=0', 'types=2'])).toEqual({
      status: 1,
      lines: ['FAILED: types', '12 passed, 1 failed, 0 skipped'],
    });
  });

  it('fails without a report and names it', () => {
    const nothing = join(folder, 'nothing.json');
    expect(sumUp(nothing, nothing, 'tests=1', 'lint=0')).toEqual({
      status: 1,
      lines: [
        'FAILED: no report of the smoke test',
        'FAILED: no report of the tests',
        '1 passed, 2 failed, 0 skipped',
      ],
    });
  });
});
