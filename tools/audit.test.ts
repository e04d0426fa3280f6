import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';

const url = 'https://github.com/advisories/GHSA-0000-0000-0000';

/** A registry with two packages and an advisory for whichever is asked about; both are dependencies of the project. */
async function startRegistry() {
  let severity = 'high';
  let vulnerable = '';
  const server = createServer((request, response) => {
    const name = request.url?.slice(1) ?? '';
    response.setHeader('Content-Type', 'application/json');
    if (request.method === 'POST' && severity === 'down') response.writeHead(405).end('{}');
    else if (request.method === 'POST') response.end(JSON.stringify(advisories()));
    else
      response.end(
        JSON.stringify({ name, 'dist-tags': {}, versions: { '1.0.0': { name, version: '1.0.0' } } }),
      );
  });
  const advisories = () =>
    vulnerable
      ? {
          [vulnerable]: [
            { id: 1, url, title: 'Leaks', severity, vulnerable_versions: '*', cwe: [], cvss: {} },
          ],
        }
      : {};
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const folder = await mkdtemp(join(tmpdir(), 'audit-'));
  let runs = 0;
  await writeProject(folder);

  return {
    /** Audits the project, with an advisory of this severity for one of its packages. */
    async audit(found: { name?: string; severity?: string; accepted?: object[] } = {}) {
      vulnerable = found.name ?? '';
      severity = found.severity ?? 'high';
      const args = [join(import.meta.dirname, 'audit.ts')];
      if (found.accepted) {
        args.push(join(folder, 'budget.json'));
        const budget = { production: { high: 0 }, all: { high: 0 }, accepted: found.accepted };
        await writeFile(join(folder, 'budget.json'), JSON.stringify(budget));
      }
      const env = {
        ...process.env,
        npm_config_registry: `http://127.0.0.1:${port}/`,
        npm_config_cache: join(folder, `cache-${++runs}`),
      };
      const { promise, resolve } = Promise.withResolvers<{ status: number; text: string }>();
      execFile(process.execPath, args, { cwd: folder, env }, (err, stdout, stderr) =>
        resolve({ status: err ? 1 : 0, text: stdout + stderr }),
      );
      return promise;
    },
    async stop() {
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `served` is installed in production, `tool` by developers alone. */
async function writeProject(folder: string) {
  const project = {
    name: 'project',
    version: '1.0.0',
    dependencies: { served: '1.0.0' },
    devDependencies: { tool: '1.0.0' },
  };
  const packages = {
    '': project,
    'node_modules/served': { version: '1.0.0' },
    'node_modules/tool': { version: '1.0.0', dev: true },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(project));
  const lock = { name: 'project', version: '1.0.0', lockfileVersion: 3, requires: true, packages };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
}

const registry = useStarted(startRegistry);

describe('the audit', () => {
  test('succeeds where nothing is known', async () => {
    const { status, text } = await registry.audit();
    expect(text).toContain('production: within the budget (0 advisories).');
    expect(text).toContain('all: within the budget (0 advisories).');
    expect(status).toBe(0);
  });

  test.each([
    ['served', 'critical', 'production: 1 critical, allowed 0'],
    ['served', 'high', 'production: 1 high, allowed 0'],
    ['served', 'moderate', 'production: 1 moderate, allowed 0'],
    ['tool', 'high', 'all: 1 high, allowed 0'],
  ])('fails beyond the budget: %s, %s', async (name, severity, reason) => {
    const { status, text } = await registry.audit({ name, severity });
    expect(text).toContain(reason);
    expect(text).toContain(`${name}: Leaks ${url}`);
    expect(status).toBe(1);
  });

  test('reports what the budget leaves open', async () => {
    const { status, text } = await registry.audit({ name: 'tool', severity: 'moderate' });
    expect(text).toContain('all: moderate: tool: Leaks');
    expect(text).toContain('production: within the budget (0 advisories).');
    expect(status).toBe(0);
  });

  test('accepts an advisory until the day that the budget names, and no longer', async () => {
    const entry = { url, reason: 'The affected function is not called.' };
    const accepted = await registry.audit({ name: 'served', accepted: [{ ...entry, until: '9999-12-31' }] });
    expect(accepted.text).toContain('(accepted)');
    expect(accepted.status).toBe(0);
    const expired = await registry.audit({ name: 'served', accepted: [{ ...entry, until: '2026-01-01' }] });
    expect(expired.status).toBe(1);
  });

  test('says so and succeeds where the registry answers no audit', async () => {
    const { status, text } = await registry.audit({ severity: 'down' });
    expect(text).toContain("Not audited: the registry can't be asked.");
    expect(status).toBe(0);
  });
});
