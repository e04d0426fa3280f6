import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run, succeeds } from './command.ts';

/** Buildah and Podman on a storage of their own, so that no image of the machine is replaced. */
export interface Engine {
  /** Options of Podman that select this storage. */
  readonly options: readonly string[];
  /** Builds a target of a Containerfile. The log goes to standard error if it fails. */
  build(options: BuildOptions): Promise<void>;
  /** Runs Podman with this storage. */
  podman(args: readonly string[]): Promise<string>;
  /** Runs a command in a new container of an image, under the restrictions of every container here. */
  runOnce(image: string, args: readonly string[]): Promise<string>;
  start(options: ContainerOptions): Container;
  close(): Promise<void>;
}

export interface BuildOptions {
  context: string;
  file: string;
  tag: string;
  target?: string;
  args?: Readonly<Record<string, string>>;
}

export interface ContainerOptions {
  name: string;
  image: string;
  env: Readonly<Record<string, string>>;
  /** Further arguments of `podman run`, before the image. */
  args?: readonly string[];
  command?: readonly string[];
}

export interface Container {
  readonly name: string;
  /** Runs a command in the container; resolves with its output. */
  exec(args: readonly string[]): Promise<string>;
  signal(name: string): Promise<string>;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  /** Its output so far. */
  log(): string;
}

/**
 * Restrictions of every container: no writable root, no capabilities, no new privileges. The containers use the
 * host's network, because the machine may not allow another one.
 */
const restrictions = [
  '--network=host',
  '--read-only',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
  '--ulimit=nofile=1024:1024',
  '--ulimit=nproc=1024:1024',
];

/** Opens an empty storage below a folder; `close` removes its containers and images. */
export async function openEngine(folder: string): Promise<Engine> {
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
  const npmMounts = await findNpmMounts();
  const podman = (args: readonly string[]) => run('podman', [...storage, '--runtime=runc', ...args]);
  return {
    async build({ context, file, tag, target, args = {} }) {
      const options = Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
      if (target !== undefined) options.push('--target', target);
      const isolation = ['--isolation=chroot', '--network=host', ...npmMounts];
      // Podman keeps health checks only in Docker's format.
      const format = ['--format=docker', '--layers', '--tag', tag, '--file', file];
      await run('buildah', [...storage, 'bud', ...isolation, ...format, ...options, context]);
    },
    options: [...storage, '--runtime=runc'],
    podman,
    runOnce: (image, args) => podman(['run', '--rm', '--no-healthcheck', ...restrictions, image, ...args]),
    start({ name, image, env, args = [], command = [] }) {
      const settings = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
      const options = ['run', '--rm', '--name', name, ...restrictions, ...settings, ...args];
      const child = spawn('podman', [...storage, '--runtime=runc', ...options, image, ...command]);
      return createContainer(name, child, podman);
    },
    async close() {
      await podman(['pod', 'rm', '--all', '--force']);
      await podman(['rm', '--all', '--force']);
      await run('buildah', [...storage, 'rm', '--all']);
      // Podman mounts its storage on itself and leaves it so after a failure.
      await succeeds('umount', [join(folder, 'storage/overlay')]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function createContainer(name: string, child: ChildProcess, podman: Engine['podman']): Container {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return {
    name,
    exec: (args) => podman(['exec', name, ...args]),
    signal: (signal) => podman(['kill', '--signal', signal, name]),
    ended: once(child, 'close').then(([code]) => code),
    log: () => output,
  };
}

/** Mounts npm's configuration and certificates of this machine while images are built; no image contains them. */
async function findNpmMounts(): Promise<string[]> {
  const get = async (key: string) => (await run('npm', ['config', 'get', key])).trim();
  const certificates = await get('cafile');
  const configuration = await get('globalconfig');
  const mounts: [from: string, to: string][] = [
    [certificates, certificates],
    [configuration, '/usr/local/etc/npmrc'],
  ];
  return mounts.filter(([from]) => existsSync(from)).map(([from, to]) => `--volume=${from}:${to}:ro`);
}
