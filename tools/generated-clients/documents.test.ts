import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWith, useStarted } from '@keydesk/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDemoKeydesk } from './demo-keydesk.ts';

const run = promisify(execFile);

describeWith('openapi-tools', 'the served OpenAPI documents', (tools) => {
  const keydesk = useStarted(startDemoKeydesk);
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keydesk-documents-'));
    for (const name of ['openapi.json', 'openapi-full.json']) {
      await writeFile(join(folder, name), await (await fetch(`${keydesk.env.API}/${name}`)).text());
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs a linter and returns its output; exit code 1 means that it found problems. */
  async function lint(program: string, ...args: readonly string[]): Promise<string> {
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const linted = run(process.execPath, [join(tools, program), 'lint', ...args], { env });
    const { stdout } = await linted.catch((err: { stdout: string }) => err);
    return stdout;
  }

  test.each(['openapi.json', 'openapi-full.json'])('Spectral finds nothing in %s', async (name) => {
    const ruleset = join(
      import.meta.dirname,
      name === 'openapi.json' ? 'spectral.yaml' : 'spectral-full.yaml',
    );
    const printed = await lint(
      '@stoplight/spectral-cli/dist/index.js',
      ...['--ruleset', ruleset, '--fail-severity', 'hint', join(folder, name)],
    );
    expect(printed).toContain('No results');
  });

  test.each([
    ['openapi.json', []],
    // Disabled as for Spectral.
    ['openapi-full.json', ['--skip-rule', 'no-invalid-media-type-examples']],
  ])('Redocly finds nothing in %s', async (name, skipped) => {
    const printed = await lint(
      '@redocly/cli/bin/cli.js',
      ...['--format', 'json', '--extends', 'recommended', join(folder, name), ...skipped],
    );
    const { totals, problems } = JSON.parse(printed);
    expect(totals, JSON.stringify(problems)).toMatchObject({ errors: 0, warnings: 0 });
  });
});
