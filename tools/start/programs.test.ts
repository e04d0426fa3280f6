import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@keydesk/testing';
import { expect, it, onTestFinished } from 'vitest';
import { startPrograms } from './programs.ts';

it('names a program that does not become ready, and its URL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = join(folder, 'sleeper.mjs');
  writeFileSync(script, 'setInterval(() => undefined, 60_000);');
  const readyUrl = `http://127.0.0.1:${await findFreePort()}/readyz`;
  const running = startPrograms([{ name: 'The sleeper', script, env: {}, readyUrl }], {
    readyLimitSeconds: 1,
  });
  onTestFinished(running.stop);
  await expect(running.ready()).rejects.toThrow(
    `The sleeper was not ready within 1 seconds (${readyUrl}); see its log above`,
  );
});
