import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

it.each(['auth', 'tickets-api'])('the command line of %s prints its version', async (app) => {
  const main = join(import.meta.dirname, '../../apps', app, 'src/cli/main.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--version']);
  expect(stdout).toBe(`${manifest.version}\n`);
});

it('.nvmrc has the major version of the pinned Node', () => {
  const nvmrc = readFileSync(join(import.meta.dirname, '../../.nvmrc'), 'utf8');
  expect(nvmrc.trim()).toBe(manifest.devDependencies.node.split('.')[0]);
});
