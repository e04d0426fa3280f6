import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, isListening, startProgram, startTestIssuer, useStarted } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, type PackedManifest, readPrograms } from './packed-packages.fixture.ts';

const published = ['errors', 'access-token', 'rate-limit'];
const project = createProject();
let manifests: PackedManifest[];

beforeAll(() => {
  const pack = [join(import.meta.dirname, 'pack.ts'), join(project.folder, 'archives')];
  const archives = execFileSync(process.execPath, pack, { encoding: 'utf8' }).trim().split('\n');
  manifests = project.install(archives);
  for (const name of published)
    for (const [i, code] of readPrograms(name).entries()) project.write(`${name}-${i}.ts`, code);
});
afterAll(() => project.remove());

/** Starts a program of a README in the project; it listens on a free port. */
async function startServer(file: string, env: Record<string, string>) {
  const port = await findFreePort();
  const { child } = startProgram(join(project.folder, file), { env: { ...env, PORT: String(port) } });
  await expect.poll(() => isListening(port)).toBe(true);
  return { url: `http://127.0.0.1:${port}/`, stop: () => void child.kill() };
}

async function run(
  file: string,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
) {
  const { ended } = startProgram(join(project.folder, file), { args, env });
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('a published package', () => {
  test('depends on nothing private', () => {
    expect(manifests.map(({ name }) => name)).toEqual(published.map((name) => `@keydesk/${name}`));
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
    for (const manifest of manifests) {
      for (const [name, range] of Object.entries(manifest.dependencies).filter(([name]) =>
        name.startsWith('@keydesk/'),
      )) {
        expect(manifests.map((other) => other.name)).toContain(name);
        expect(range).toBe(`^${version}`);
      }
    }
  });

  test('says its license, source and engine, and keeps what is for development', () => {
    for (const [i, manifest] of manifests.entries()) {
      expect(manifest).toMatchObject({
        version: expect.any(String),
        license: 'Apache-2.0',
        engines: { node: '>=24' },
        repository: { directory: `packages/${published[i]}` },
        exports: { '.': { types: './index.d.ts', default: './index.js' } },
      });
      for (const field of ['private', 'scripts', 'devDependencies'])
        expect(manifest).not.toHaveProperty(field);
      const files = readdirSync(join(project.folder, 'node_modules', manifest.name));
      expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'index.js', 'index.d.ts']));
      expect(files.filter((file) => /\.test\.|fixture|contract/.test(file))).toEqual([]);
    }
  });

  test('types the programs of its README strictly', () => {
    expect(project.findTypeErrors()).toBe('');
  });
});

describe('the README of access-token', () => {
  const issuer = useStarted(startTestIssuer);
  const settings = () => ({ ISSUER: issuer.issuer, RESOURCE: issuer.audience });

  test('protects a Koa server', async () => {
    const { url, stop } = await startServer('access-token-0.ts', settings());
    const get = (token: string) => fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    const good = await get(issuer.token({ sub: 'ada' }));
    expect(await good.json()).toMatchObject({ subject: 'ada' });
    const bad = await get('not-a-token');
    expect(bad.status).toBe(401);
    expect(bad.headers.get('WWW-Authenticate')).toMatch(/^Bearer realm="api", error="invalid_token"/);
    expect((await get(issuer.token({ scope: 'other' }))).status).toBe(403);
    const metadata = await fetch(new URL('/.well-known/oauth-protected-resource', url));
    expect(await metadata.json()).toMatchObject({ authorization_servers: [issuer.issuer] });
    stop();
  });

  test('verifies tokens without a server', async () => {
    const options = { args: [issuer.token({ sub: 'ada' })], env: settings() };
    expect(await run('access-token-1.ts', options)).toContain("ada [ 'tickets:read' ]");
    expect(await run('access-token-1.ts', { ...options, args: ['a.b.c'] })).toContain('The access token');
  });
});

describe('the README of rate-limit', () => {
  test('limits a Koa server', async () => {
    const { url, stop } = await startServer('rate-limit-0.ts', {});
    const write = async () => (await fetch(url, { method: 'POST' })).status;
    expect([await write(), await write(), await write()]).toEqual([200, 200, 429]);
    const read = await fetch(url);
    expect(read.headers.get('RateLimit-Policy')).toBe('"reads";q=100;w=60');
    stop();
  });

  test('lets a key be used once', async () => {
    expect(await run('rate-limit-1.ts')).toBe('true false\n');
  });
});

test('the README of errors reads an error', async () => {
  expect(await run('errors-0.ts')).toMatch(/^503 unavailable /);
});

test('programs in READMEs of private packages have no type errors', () => {
  const workspace = createProject();
  workspace.linkAll();
  for (const name of ['cli', 'config', 'server', 'storage', 'testing'])
    for (const [i, code] of readPrograms(name).entries()) workspace.write(`${name}-${i}.ts`, code);
  expect(workspace.findTypeErrors({ skipLibCheck: true, allowImportingTsExtensions: true })).toBe('');
  workspace.remove();
});
