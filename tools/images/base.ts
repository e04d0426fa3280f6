import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { toolCache } from '../go-program.ts';
import { run } from './command.ts';
import type { Engine } from './engine.ts';

/** The base image of users. */
export const NODE_IMAGE = 'docker.io/library/node:24-bookworm-slim';

const containerfile = `FROM scratch
ADD debian.tar /
COPY local /usr/local
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
`;

/**
 * Makes a stand-in for Node's official image, because the machine may reach no registry of images. It consists of
 * packages of Debian, the pinned Node and the pinned npm.
 */
export async function makeBase(engine: Engine, folder: string): Promise<void> {
  const context = join(folder, 'base');
  const local = join(context, 'local');
  mkdirSync(join(local, 'bin'), { recursive: true });
  await Promise.all([
    makeDebian().then((file) => copyFileSync(file, join(context, 'debian.tar'))),
    run('npm', ['install', '--global', '--silent', '--prefix', local, manifest.packageManager]),
  ]);
  copyFileSync(process.execPath, join(local, 'bin/node'));
  const file = join(context, 'Containerfile');
  writeFileSync(file, containerfile);
  await engine.build({ context, file, tag: NODE_IMAGE });
}

/** Makes an archive of Debian's essential packages and what Node needs, once per machine. */
async function makeDebian(): Promise<string> {
  const file = join(toolCache, 'debian-bookworm.tar');
  if (existsSync(file)) return file;
  mkdirSync(toolCache, { recursive: true });
  const partial = `${file}.${process.pid}.tar`;
  const packages = '--include=ca-certificates,libstdc++6';
  await run('mmdebstrap', ['--variant=essential', packages, 'bookworm', partial]);
  renameSync(partial, file);
  return file;
}
