import { execFileSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const manifests = ['package.json', ...globSync('{apps,packages}/*/package.json', { cwd: root })];
const env = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

let clone: string;
const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, env, encoding: 'utf8' });
const commit = (message: string) => git('commit', '--quiet', '--allow-empty', '--message', message);
const read = (path: string) => readFileSync(join(clone, path), 'utf8');

function release(version: string): { status: number; text: string } {
  const options = { cwd: clone, env, encoding: 'utf8', stdio: 'pipe' } as const;
  try {
    return { status: 0, text: execFileSync(process.execPath, ['tools/release.ts', version], options) };
  } catch (err) {
    const { status, stderr } = err as { status: number; stderr: string };
    return { status, text: stderr };
  }
}

/** A repository with the manifests of this one and a history of its own. */
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'release-'));
  const copied = [
    'package-lock.json',
    'packages',
    'tools/bill-of-materials.ts',
    'tools/pack.ts',
    'tools/release.ts',
    'tools/release-assets.ts',
    'cliff.toml',
    'infra/helm/keydesk/Chart.yaml',
    'LICENSE',
    'tsconfig.base.json',
    'tsconfig.build.json',
  ];
  for (const path of [...manifests, ...copied])
    cpSync(join(root, path), join(clone, path), { recursive: true });
  writeFileSync(join(clone, 'CHANGELOG.md'), '');
  writeFileSync(join(clone, '.gitignore'), 'node_modules\ndist/\n.turbo/\n');
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  commit('feat: begin');
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

test('the first release gives every workspace and the chart its version and begins the changelog', () => {
  expect(release('0.9.0')).toMatchObject({ status: 0, text: expect.stringContaining('tagged v0.9.0') });
  for (const path of manifests) expect(JSON.parse(read(path)), path).toMatchObject({ version: '0.9.0' });
  const { version, packages } = JSON.parse(read('package-lock.json'));
  expect([version, packages[''].version, packages['apps/auth'].version]).toEqual(Array(3).fill('0.9.0'));
  expect(packages['node_modules/koa'].version).not.toBe('0.9.0');
  expect(read('infra/helm/keydesk/Chart.yaml')).toMatch(/^version: 0\.9\.0\nappVersion: 0\.9\.0$/m);
  expect(read('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n[^#]*\n\n## 0\.9\.0 \(\d{4}-\d\d-\d\d\)\n\nThe first release\..*\n$/s,
  );
  expect(git('status', '--porcelain')).toBe('');
  expect(git('log', '-1', '--format=%s%d')).toContain('chore: release 0.9.0');
  expect(git('cat-file', '-t', 'v0.9.0')).toBe('tag\n');
});

test('the files of a release are its packages, a bill of materials, notes and checksums', () => {
  const assets = join(clone, 'dist');
  execFileSync(process.execPath, ['tools/release-assets.ts', assets], { cwd: clone });
  const packages = ['errors', 'access-token', 'rate-limit'].map((name) => `keydesk-${name}-0.9.0.tgz`);
  const summed = ['keydesk-0.9.0.cdx.json', ...packages];
  expect(readdirSync(assets).sort()).toEqual(['SHA256SUMS', ...summed, 'notes.md'].sort());
  expect(read('dist/notes.md')).toMatch(/^The first release\./);
  const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: assets, encoding: 'utf8' });
  expect(checked.match(/: OK$/gm)).toHaveLength(summed.length);
});

test('the bill of materials has what production installs, and no tools of developers', () => {
  const { bomFormat, metadata, components, dependencies } = JSON.parse(read('dist/keydesk-0.9.0.cdx.json'));
  expect(bomFormat).toBe('CycloneDX');
  expect(metadata.component).toMatchObject({ name: 'keydesk', version: '0.9.0', type: 'application' });
  const { packages } = JSON.parse(read('package-lock.json'));
  const production = Object.entries<{ version: string; dev?: boolean; link?: boolean }>(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
  const refs = components.map((component: { 'bom-ref': string }) => component['bom-ref'].split('|')[0]);
  expect(refs).toEqual(expect.arrayContaining(production));
  for (const tool of ['vitest', 'typescript', '@biomejs/biome'])
    expect(refs).not.toContain(`${tool}@${packages[`node_modules/${tool}`].version}`);
  const known = new Set([metadata.component, ...components].map((component) => component['bom-ref']));
  for (const { ref, dependsOn } of dependencies)
    for (const each of [ref, ...dependsOn]) expect(known).toContain(each);
});

test('a later release adds what its users notice, newest first', () => {
  commit('feat(auth): add passkeys');
  commit('docs: renew pictures');
  commit('fix: refuse a second redemption of a code\n\nTwo requests raced.');
  commit('perf(tickets-api): read a page in one query');
  commit(
    'feat(tickets-api)!: answer 429 instead of 421\n\nBREAKING CHANGE: set RATE_LIMIT_STATUS=421 to keep it',
  );
  expect(release('0.10.0').status).toBe(0);
  expect(read('infra/helm/keydesk/Chart.yaml')).toMatch(/^version: 0\.10\.0\nappVersion: 0\.10\.0$/m);
  const text = read('CHANGELOG.md')
    .replace(/\([0-9a-f]{8}\)/g, '(id)')
    .replace(/\(\d{4}-\d\d-\d\d\)/g, '(day)');
  expect(text.slice(text.indexOf('## 0.10.0'))).toBe(`## 0.10.0 (day)

### Breaking

* **tickets-api:** answer 429 instead of 421 (id): set RATE_LIMIT_STATUS=421 to keep it

### Added

* **auth:** add passkeys (id)

### Fixed

* refuse a second redemption of a code (id)

### Faster

* **tickets-api:** read a page in one query (id)

## 0.9.0 (day)

The first release. The [README](README.md) says what Keydesk does and how to run it.
`);
  expect(text.match(/^# Changelog$/gm)).toHaveLength(1);
});

test.each([
  ['', 'Give the version'],
  ['1.0', 'Give the version'],
  ['0.9.0', 'The tag v0.9.0 exists'],
  ['0.9.1', '0.9.1 is not later than the latest release, 0.10.0'],
])('refuses the version %j and changes nothing', (version, reason) => {
  const head = git('rev-parse', 'HEAD');
  expect(release(version)).toEqual({ status: 1, text: expect.stringContaining(reason) });
  expect(git('rev-parse', 'HEAD')).toBe(head);
  expect(git('status', '--porcelain')).toBe('');
});

test('refuses a working copy with changes', () => {
  writeFileSync(join(clone, 'forgotten'), '');
  expect(release('1.0.0')).toEqual({ status: 1, text: expect.stringContaining('has changes') });
});
