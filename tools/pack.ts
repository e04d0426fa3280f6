import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

// Builds and packs the published packages:
//
//   node tools/pack.ts [FOLDER]   (default: dist)
//
// Workspaces run as TypeScript, which Node does not run below node_modules: see docs/decisions/0020-published-packages-are-built.md.

/** Published packages, each after its dependencies. */
const published = ['errors', 'access-token', 'rate-limit'];
const root = join(import.meta.dirname, '..');

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
  publishConfig: { access: string; types: string; exports: object; files: string[] };
  [name: string]: unknown;
}

/** Returns the published manifest: `publishConfig` replaces the fields used in development. */
function toPublished(manifest: Manifest): object {
  const { private: _, scripts, devDependencies, publishConfig, dependencies = {}, ...kept } = manifest;
  const { access, ...fields } = publishConfig;
  const ranges = Object.entries(dependencies).map(([name, range]) => [
    name,
    name.startsWith('@keydesk/') ? `^${manifest.version}` : range,
  ]);
  return { ...kept, ...fields, publishConfig: { access }, dependencies: Object.fromEntries(ranges) };
}

/** Builds a package in the folder and packs it; returns the path of the archive. */
function pack(name: string, folder: string): string {
  const source = join(root, 'packages', name);
  const built = mkdtempSync(join(tmpdir(), `pack-${name}-`));
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [
      tsc,
      '--project',
      join(source, 'tsconfig.build.json'),
      '--outDir',
      built,
    ]);
    const manifest: Manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
    writeFileSync(join(built, 'package.json'), `${JSON.stringify(toPublished(manifest), null, 2)}\n`);
    cpSync(join(source, 'README.md'), join(built, 'README.md'));
    cpSync(join(root, 'LICENSE'), join(built, 'LICENSE'));
    const args = ['pack', '--json', '--pack-destination', folder];
    const [report] = Object.values(JSON.parse(execFileSync('npm', args, { cwd: built, encoding: 'utf8' })));
    return join(folder, (report as { filename: string }).filename);
  } finally {
    rmSync(built, { recursive: true });
  }
}

const folder = resolve(process.argv[2] ?? join(root, 'dist'));
mkdirSync(folder, { recursive: true });
for (const name of published) console.log(pack(name, folder));
