import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findService } from './services.ts';

const vitest = fileURLToPath(new URL('../../../../node_modules/vitest/vitest.mjs', import.meta.url));
const suite = `
import { expect, it } from 'vitest';
import { describeWith } from ${JSON.stringify(import.meta.resolve('./services.ts'))};
describeWith('mongodb', 'the ticket store', (url) => {
  it('receives the location of the service', () => expect(url).toBe('mongodb://somewhere'));
});
describeWith('redis', 'the limiter', () => {
  it('is reached', () => expect(1).toBe(2));
});
`;

describe('a suite that needs a service', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keydesk-services-'));
    await writeFile(join(folder, 'suite.test.ts'), suite);
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs the suite in a separate Vitest process with only the services in `env`. */
  async function run(env: Record<string, string>): Promise<{ exitCode: number; output: string }> {
    const child = spawn(process.execPath, [vitest, 'run', '--root', folder], {
      env: { PATH: '', NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? -1)));
    const [exitCode, out, err] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
    return { exitCode, output: out + err };
  }

  it('is reported as skipped, with the reason, when the service is missing', async () => {
    const { exitCode, output } = await run({});
    expect(exitCode).toBe(0);
    expect(output).toContain('the ticket store (skipped: TEST_MONGODB_URL is not set)');
    expect(output).toContain('the limiter (skipped: redis-server is not installed)');
    expect(output).toContain('2 skipped');
  });

  it('fails when services are required, and explains how to install the missing one', async () => {
    const { exitCode, output } = await run({
      REQUIRE_SERVICES: '1',
      TEST_MONGODB_URL: 'mongodb://somewhere',
    });
    expect(exitCode).toBe(1);
    expect(output).toContain('apt-get install redis-server');
    expect(output).toMatch(/1 failed \| 1 passed/);
  });

  it('selects one of several servers by worker id', () => {
    vi.stubEnv('TEST_MONGODB_URL', 'mongodb://one mongodb://two');
    for (const [worker, url] of [
      ['2', 'mongodb://one'],
      ['3', 'mongodb://two'],
    ] as const) {
      vi.stubEnv('VITEST_WORKER_ID', worker);
      expect(findService('mongodb')).toBe(url);
    }
    vi.unstubAllEnvs();
  });

  it('receives the location of an available service', async () => {
    const { exitCode, output } = await run({ TEST_MONGODB_URL: 'mongodb://somewhere' });
    expect(exitCode).toBe(0);
    expect(output).toMatch(/1 passed \| 1 skipped/);
  });
});
