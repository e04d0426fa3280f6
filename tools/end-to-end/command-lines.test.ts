import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });

describe('a developer tool', () => {
  it.each([
    'tools/kill-audit.ts',
    'tools/rolling-restart.ts',
    'tools/conformance.ts',
    'tools/smoke.ts',
    'tools/bench/main.ts',
    'tools/bench/at-size.ts',
    'apps/auth/src/pages/screenshots.ts',
    'apps/auth/src/pages/preview.ts',
  ])('prints its usage, and refuses an unknown option in one line: %s', (script) => {
    expect(run(script, '--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: /) });
    const { status, stderr } = run(script, '--bogus');
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^Unknown option '--bogus'[^\n]*--help[^\n]*\n$/),
    ]);
  });

  it.each([
    [['tools/kill-audit.ts', '--app', 'mail']],
    [['tools/kill-audit.ts', '--kills', 'many']],
    [['tools/rolling-restart.ts', '--requests', 'many']],
    [['tools/conformance.ts']],
    [['tools/conformance.ts', 'no-such-plan']],
    [['tools/conformance.ts', '--suite', 'http://127.0.0.1:1', 'config']],
    [['tools/conformance.ts', '--suite', 'here', 'config']],
    [['tools/bench/main.ts', '--only', 'nothing']],
    [['apps/auth/src/pages/screenshots.ts', '--width', 'wide']],
  ])('refuses invalid arguments: %j', ([script = '', ...args]) => {
    const { status, stderr } = run(script, ...args);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^[^\n]+--help[^\n]*\n$/)]);
  });
});

describe('npm test -w, with a filter', () => {
  it('runs only the matching files of that workspace', () => {
    const args = ['test', '-w', 'packages/rate-limit', '--', 'rate-limit.test'];
    const { stdout } = spawnSync('npm', args, { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
    expect(stdout.match(/\S+\.test\.ts/g)).toEqual(['packages/rate-limit/src/rate-limit.test.ts']);
    expect(stdout).toMatch(/Test Files +1 passed/);
  });
});
