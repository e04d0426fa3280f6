import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import manifest from '../package.json' with { type: 'json' };

// Creates the assets of a release from the working copy: packages, a software bill of materials (CycloneDX) of the
// production dependencies, release notes, and checksums.
//
//   node tools/release-assets.ts [FOLDER]   (default: dist)

const root = join(import.meta.dirname, '..');
const { name, version } = manifest;

interface Component {
  'bom-ref': string;
  name: string;
  type: string;
  properties?: { name: string; value: string }[];
}

interface LockFile {
  packages: Record<string, { name?: string; version: string; dev?: boolean; link?: boolean }>;
}

interface BillOfMaterials {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * Creates the bill of materials without devDependencies. npm can't omit them itself: with `--omit=dev` it drops
 * packages that a devDependency and a workspace share, such as koa, and it marks duplicates by the first copy only.
 */
function createBillOfMaterials(): BillOfMaterials {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const { metadata, components, dependencies, ...rest }: BillOfMaterials = JSON.parse(text);
  const production = findProduction();
  const kept = components.filter((component) => production.has(component['bom-ref']));
  const refs = new Set([metadata.component['bom-ref'], ...kept.map((component) => component['bom-ref'])]);
  return {
    ...rest,
    // npm names it after the folder.
    metadata: { ...metadata, component: { ...metadata.component, name } },
    components: kept.map(({ properties = [], ...component }) => ({
      ...component,
      properties: properties.filter((property) => property.name !== 'cdx:npm:package:development'),
    })),
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) })),
  };
}

/** Name and version of each production dependency in the lock file, workspaces included. */
function findProduction(): Set<string> {
  const lock: LockFile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const entries = Object.entries(lock.packages).filter(([, { dev, link }]) => !dev && !link);
  return new Set(
    entries.map(([path, entry]) => `${entry.name ?? path.split('node_modules/').at(-1)}@${entry.version}`),
  );
}

/** The section of this version in CHANGELOG.md, without its title. */
function readNotes(): string {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${version} `));
  if (section === undefined)
    throw new Error(`CHANGELOG.md has no section of ${version}: run 'npm run release -- ${version}'.`);
  return `${section.slice(section.indexOf('\n')).trim()}\n`;
}

const folder = resolve(process.argv[2] ?? join(root, 'dist'));
mkdirSync(folder, { recursive: true });
const notes = readNotes();
execFileSync(process.execPath, [join(root, 'tools/pack.ts'), folder]);
writeFileSync(
  join(folder, `${name}-${version}.cdx.json`),
  `${JSON.stringify(createBillOfMaterials(), null, 2)}\n`,
);
const files = readdirSync(folder).filter((file) => /\.(tgz|cdx\.json)$/.test(file));
const sums = files.map((file) => {
  const digest = createHash('sha256').update(readFileSync(join(folder, file)));
  return `${digest.digest('hex')}  ${file}\n`;
});
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
writeFileSync(join(folder, 'notes.md'), notes);
console.log([...files, 'SHA256SUMS', 'notes.md'].join('\n'));
