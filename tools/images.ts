import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, refuseCommandLine } from '@keydesk/testing';
import manifest from '../package.json' with { type: 'json' };
import { makeBase } from './images/base.ts';
import { tryChart } from './images/chart.ts';
import { findMissing } from './images/command.ts';
import { tryCompose } from './images/compose.ts';
import { runCompose } from './images/compose-up.ts';
import { checkContents } from './images/contents.ts';
import { openEngine } from './images/engine.ts';
import { installHelm, installPythonTools } from './images/tools.ts';
import { runImages } from './images/trial.ts';

const usage = `Usage: npm run images -- [PART ...]

Tries what infra/ has for containers, without a Docker engine. Parts, by default all:

  chart    lint and render the Helm chart, validate it by the schemas of Kubernetes, load the settings of its pods
  compose  read the compose files, create their secrets, try Redis and the proxies with their configurations
  images   build both images from a base made of Debian packages, check their contents and run them

A part is skipped with its reason where a program is missing, and with REQUIRE_SERVICES=1 it fails. Exits with 1 when a
part fails. Helm and the tools of Python are installed once, below ~/.cache/keydesk.`;

interface Part {
  /** Programs by the Debian package that has them. */
  programs: readonly string[];
  /** Installs tools that no package of Debian has. */
  install?(): Promise<unknown>;
  run(folder: string): Promise<void>;
}

const root = join(import.meta.dirname, '..');
const parts: Readonly<Record<string, Part>> = {
  chart: {
    programs: ['go', 'python3'],
    install: () => Promise.all([installHelm(), installPythonTools()]),
    run: tryChart,
  },
  compose: {
    programs: ['caddy', 'haproxy', 'openssl', 'python3', 'redis-server'],
    run: tryCompose,
  },
  images: { programs: ['buildah', 'podman', 'runc', 'mmdebstrap'], run: tryImages },
};
const { positionals } = readCommandLine(usage, { allowPositionals: true });
for (const name of positionals) if (!(name in parts)) refuseCommandLine(`Unknown part ${name}.`);

for (const [name, part] of Object.entries(parts)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const obstacle = await findObstacle(part);
  if (obstacle !== undefined) {
    console.error(`SKIPPED ${name}: ${obstacle}`);
    if (process.env.REQUIRE_SERVICES === '1') process.exitCode = 1;
  } else if (!(await tryPart(name, part))) process.exitCode = 1;
}

/** Returns why a part cannot run on this machine. */
async function findObstacle({ programs, install }: Part): Promise<string | undefined> {
  const missing = findMissing(programs);
  if (missing.length > 0) return `${missing.join(', ')} not installed.`;
  return install?.().then(
    () => undefined,
    (err) => (err instanceof Error ? err.message : String(err)),
  );
}

async function tryPart(name: string, part: Part): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), `keydesk-${name}-`));
  const startedAt = performance.now();
  try {
    await part.run(folder);
    console.log(`${name}: passed in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    return true;
  } catch (err) {
    console.error(`FAILED ${name}: ${err instanceof Error ? err.message : err}`);
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tryImages(folder: string): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const engine = opened.adopt(await openEngine(join(folder, 'engine')), (each) => each.close());
  await makeBase(engine, folder);
  const args = { VERSION: manifest.version, REVISION: findRevision() };
  const file = join(root, 'infra/container/Containerfile');
  for (const target of ['auth', 'api']) {
    const tag = `keydesk-${target}`;
    await engine.build({ context: root, file, target, tag, args });
    console.log(`${tag}: ${await checkContents(engine, tag)}`);
  }
  console.log(`images: ${await runImages(engine)}`);
  console.log(`images: ${await runCompose(engine, folder)}`);
}

function findRevision(): string {
  return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
}
