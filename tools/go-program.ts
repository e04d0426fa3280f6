import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { run } from './images/command.ts';

const { env } = process;

/** Folder of tools that no package of Debian has. */
export const toolCache = join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'keydesk');

export interface GoProgram {
  name: string;
  version: string;
  /** Import path of its main package. */
  module: string;
}

/** Builds a program from its Go module, once per machine; resolves with its path. */
export async function installGoProgram({ name, version, module }: GoProgram): Promise<string> {
  const folder = join(toolCache, `${name}-${version}`);
  const program = join(folder, name);
  if (existsSync(program)) return program;
  console.error(`Building ${name} (once) …`);
  // Go's own archive is not on the PATH by itself.
  const path = [env.PATH, '/usr/local/go/bin'].join(delimiter);
  await run('go', ['install', `${module}@${version}`], { env: { ...env, PATH: path, GOBIN: folder } });
  return program;
}
