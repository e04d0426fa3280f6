import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordModules } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startKeydesk } from './start.fixture.ts';

/** Libraries of features that are off by default or rarely used. */
const rarelyUsed = [
  '@opentelemetry/api',
  '@scalar/fastify-api-reference',
  '@simplewebauthn/server',
  '@zxcvbn-ts/language-common',
  'bowser',
  'fflate',
  'ioredis',
  'marked',
  'mongodb',
  'mongoose',
  'nodemailer',
  'otpauth',
  'pino-pretty',
  'prom-client',
  'qrcode',
  'yaml',
];

/** Returns the packages that modules belong to. */
function packagesOf(urls: readonly string[]): Set<string> {
  const names = urls.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]);
  return new Set(names.filter((name) => name !== undefined));
}

describe('npm start on its default settings', () => {
  it('keeps libraries out of the memory of idle servers that they do not use', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'modules-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const modules = recordModules(folder);
    const { pid, output } = await startKeydesk({ ...modules.env, LOG_LEVEL: 'info' });
    for (const name of ['auth', 'tickets-api']) {
      const listening = new RegExp(`"pid":(\\d+).*"name":"${name}".*"listening"`);
      // Log lines may be delayed.
      await expect.poll(output).toMatch(listening);
      const packages = packagesOf(modules.loadedBy(Number(listening.exec(output())?.[1])));
      expect(packages).toContain('koa');
      expect(rarelyUsed.filter((each) => packages.has(each))).toEqual([]);
    }
    expect([...packagesOf(modules.loadedBy(pid))]).toEqual([]);
  });
});
