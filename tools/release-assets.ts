import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { describeProduction } from './bill-of-materials.ts';

// Creates the assets of a release from the working copy: packages, a software bill of materials (CycloneDX) of the
// production dependencies, release notes, and checksums.
//
//   node tools/release-assets.ts [FOLDER]   (default: dist)

const root = join(import.meta.dirname, '..');
const { name, version } = manifest;

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
  `${JSON.stringify(describeProduction(), null, 2)}\n`,
);
const files = readdirSync(folder).filter((file) => /\.(tgz|cdx\.json)$/.test(file));
const sums = files.map((file) => {
  const digest = createHash('sha256').update(readFileSync(join(folder, file)));
  return `${digest.digest('hex')}  ${file}\n`;
});
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
writeFileSync(join(folder, 'notes.md'), notes);
console.log([...files, 'SHA256SUMS', 'notes.md'].join('\n'));
