import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installGoProgram, toolCache } from '../go-program.ts';
import { run } from './command.ts';

// Tools that no package of Debian has, installed once per machine below ~/.cache/keydesk.

/** Builds Helm from its Go module; resolves with the path of the program. */
export function installHelm(): Promise<string> {
  return installGoProgram({ name: 'helm', version: 'v3.22.0', module: 'helm.sh/helm/v3/cmd/helm' });
}

/** Installs the tools of requirements.txt; resolves with the folder of their programs. */
export async function installPythonTools(): Promise<string> {
  const requirements = join(import.meta.dirname, 'requirements.txt');
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(toolCache, `image-tools-${digest}`);
  const mark = join(folder, 'installed');
  if (!existsSync(mark)) {
    mkdirSync(toolCache, { recursive: true });
    await run('python3', ['-m', 'venv', folder]);
    const options = ['install', '--quiet', '--disable-pip-version-check', '--requirement', requirements];
    await run(join(folder, 'bin/pip'), options);
    writeFileSync(mark, '');
  }
  return join(folder, 'bin');
}
