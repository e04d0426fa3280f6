import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_IMAGE } from './base.ts';
import { check } from './command.ts';
import type { Engine } from './engine.ts';

const MAX_MEGABYTES = 200;
const root = join(import.meta.dirname, '../..');

/** Prints as JSON the user, all files of the program, and the paths which this user could change. */
const inspection = `
const { accessSync, constants, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const isWritable = (path) => { try { accessSync(path, constants.W_OK); return true; } catch { return false; } };
const entries = readdirSync('/opt/keydesk', { recursive: true, withFileTypes: true });
const paths = entries.map((entry) => join(entry.parentPath, entry.name));
console.log(JSON.stringify({
  user: process.getuid(),
  files: paths.map((path) => path.slice('/opt/keydesk/'.length)),
  writable: paths.filter(isWritable),
  bill: JSON.parse(readFileSync('/opt/keydesk/sbom.cdx.json', 'utf8')),
}))`;

interface Inspection {
  user: number;
  files: string[];
  writable: string[];
  bill: { components: { 'bom-ref': string }[] };
}

/** Checks size, configuration and files of an image; returns a line about it. @throws {Error} that names the fault */
export async function checkContents(engine: Engine, image: string): Promise<string> {
  const sizeOf = async (name: string) =>
    Number(await engine.podman(['image', 'inspect', '--format={{.Size}}', name])) / 1e6;
  const [size, base] = await Promise.all([sizeOf(image), sizeOf(NODE_IMAGE)]);
  check(size - base <= MAX_MEGABYTES, `${image} has ${size - base} MB more than its base.`);
  await checkConfiguration(engine, image);
  const listed: Inspection = JSON.parse(await engine.runOnce(image, ['node', '--eval', inspection]));
  check(listed.user !== 0, `${image} runs as root.`);
  checkFiles(image, listed);
  const { files, bill } = listed;
  return `${Math.round(size - base)} MB over ${Math.round(base)} MB of the base, ${files.length} files, ${bill.components.length} components in its bill of materials`;
}

async function checkConfiguration(engine: Engine, image: string): Promise<void> {
  const [{ Config: config }] = JSON.parse(await engine.podman(['image', 'inspect', image]));
  const health = JSON.parse(
    await engine.podman(['image', 'inspect', '--format={{json .HealthCheck}}', image]),
  );
  check(/^[1-9]\d*:[1-9]\d*$/.test(config.User), `${image}: the user must be a number other than 0.`);
  check((config.Entrypoint ?? []).length === 0, `${image} has an entry point: ${config.Entrypoint}`);
  check(health?.Test?.[0] === 'CMD', `${image}: the health check must be a program, not a shell command.`);
  for (const label of ['title', 'description', 'version', 'revision', 'source', 'licenses']) {
    const value = config.Labels[`org.opencontainers.image.${label}`];
    check(Boolean(value) && value !== 'unknown', `${image} has no label ${label}.`);
  }
}

/** Returns a path and the folders above it. */
function withFolders(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

function checkFiles(image: string, { files, writable, bill }: Inspection): void {
  const present = new Set(files);
  const lock: { packages: Record<string, { name?: string; version: string; dev?: boolean }> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  const tracked = new Set(
    execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').flatMap(withFolders),
  );
  const untracked = files.filter(
    (path) => !/(?:^|\/)node_modules(?:\/|$)/.test(path) && path !== 'sbom.cdx.json' && !tracked.has(path),
  );
  const tests = files.filter(
    (path) => !path.startsWith('node_modules/') && /\.(?:test|fixture|contract)\.ts$/.test(path),
  );
  const development = Object.entries(lock.packages).filter(([path, { dev }]) => dev && present.has(path));
  const described = new Set(bill.components.map((component) => component['bom-ref']));
  const undescribed = Object.entries(lock.packages)
    .filter(([path]) => path.startsWith('node_modules/') && present.has(`${path}/package.json`))
    .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`)
    .filter((reference) => !described.has(reference) && !reference.startsWith('@keydesk/'));
  const faults: [fault: string, paths: readonly string[]][] = [
    ['contains files that are not in git', untracked],
    ['contains tests', tests],
    ['contains packages of development', development.map(([path]) => path)],
    ['contains the package of tests', files.filter((path) => path.startsWith('packages/testing'))],
    ['lets its user change', writable],
    ['contains packages that its bill of materials lacks', undescribed],
  ];
  for (const [fault, paths] of faults)
    check(paths.length === 0, `${image} ${fault}: ${paths.slice(0, 10).join(', ')}`);
}
