import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Prepares a release in the working copy:
//
//   npm run release -- 0.10.0
//
// Sets the version of every workspace and of the Helm chart, adds a section to CHANGELOG.md, commits, and tags the commit. Nothing is pushed:
// pushing the tag starts the release workflow.

const root = join(import.meta.dirname, '..');
const [version = ''] = process.argv.slice(2);
const tag = `v${version}`;

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

/** Returns the reason why this release is impossible, or `undefined`. */
function findObstacle(): string | undefined {
  const numbers = /^(\d+)\.(\d+)\.(\d+)$/.exec(version);
  if (numbers === null) return 'Give the version, such as: npm run release -- 0.10.0';
  if (git('status', '--porcelain') !== '') return 'The working copy has changes; commit or stash them.';
  if (git('tag', '--list', tag) !== '') return `The tag ${tag} exists; choose a later version.`;
  const [latest] = git('tag', '--list', 'v*', '--sort=-version:refname', '--merged', 'HEAD').split('\n');
  if (latest && compareVersions(version, latest.slice(1)) <= 0)
    return `${version} is not later than the latest release, ${latest.slice(1)}.`;
  return undefined;
}

function compareVersions(a: string, b: string): number {
  return new Intl.Collator('en', { numeric: true }).compare(a, b);
}

interface Manifest {
  version: string;
  packages?: Record<string, { version: string }>;
}

/** Edits a JSON file of npm's formatting. */
function edit(path: string, change: (manifest: Manifest) => void): void {
  const file = join(root, path);
  const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'));
  change(manifest);
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

function setVersions(): void {
  const workspaces = globSync('{apps,packages}/*/package.json', { cwd: root });
  for (const path of ['package.json', ...workspaces])
    edit(path, (manifest) => {
      manifest.version = version;
    });
  edit('package-lock.json', (lock) => {
    lock.version = version;
    const folders = ['', ...workspaces.map((path) => path.replace('/package.json', ''))];
    for (const folder of folders) Object.assign(lock.packages?.[folder] ?? {}, { version });
  });
  const chart = join(root, 'infra/helm/keydesk/Chart.yaml');
  const lines = readFileSync(chart, 'utf8');
  writeFileSync(chart, lines.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`));
}

function addToChangelog(): void {
  const cliff = join(root, 'node_modules/git-cliff/lib/cli/cli.js');
  const args = ['--offline', '--unreleased', '--tag', tag, '--prepend', 'CHANGELOG.md'];
  execFileSync(process.execPath, [cliff, ...args], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

const obstacle = findObstacle();
if (obstacle === undefined) {
  setVersions();
  addToChangelog();
  git('add', '--all');
  git('commit', '--quiet', '--message', `chore: release ${version}`);
  git('tag', '--annotate', tag, '--message', `Keydesk ${version}`);
  console.log(`Committed and tagged ${tag}. Publish it with: git push --follow-tags`);
} else {
  console.error(obstacle);
  process.exitCode = 1;
}
