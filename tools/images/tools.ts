import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { run } from './command.ts';

// Tools that no package of Debian has, installed once per machine below ~/.cache/keydesk.

const { env } = process;
const HELM = 'v3.22.0';

export const cache = join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'keydesk');

/** Builds Helm from its Go module; resolves with the path of the program. */
export async function installHelm(): Promise<string> {
  const folder = join(cache, `helm-${HELM}`);
  const program = join(folder, 'helm');
  if (existsSync(program)) return program;
  console.error('Building Helm (once) …');
  // Go's own archive is not on the PATH by itself.
  const path = [env.PATH, '/usr/local/go/bin'].join(delimiter);
  await run('go', ['install', `helm.sh/helm/v3/cmd/helm@${HELM}`], {
    env: { ...env, PATH: path, GOBIN: folder },
  });
  return program;
}

/** Installs the tools of requirements.txt; resolves with the folder of their programs. */
export async function installPythonTools(): Promise<string> {
  const requirements = join(import.meta.dirname, 'requirements.txt');
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(cache, `image-tools-${digest}`);
  const mark = join(folder, 'installed');
  if (!existsSync(mark)) {
    mkdirSync(cache, { recursive: true });
    await run('python3', ['-m', 'venv', folder]);
    const options = ['install', '--quiet', '--disable-pip-version-check', '--requirement', requirements];
    await run(join(folder, 'bin/pip'), options);
    writeFileSync(mark, '');
  }
  return join(folder, 'bin');
}
