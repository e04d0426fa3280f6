import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { png, pngChunk } from '../../clients/logo/image.fixture.ts';
import { newFolder } from '../../tests/processes.fixture.ts';
import { startOperatedServer } from '../operated-server.fixture.ts';

describe('keydesk client set-logo', () => {
  const operated = useStarted(startOperatedServer);
  const run = (...args: string[]) => operated.run('client', ...args);

  function newFile(content: Buffer): string {
    const path = join(newFolder(), 'logo');
    writeFileSync(path, content);
    return path;
  }

  it('stores, shows and removes the logo, with audit records', async () => {
    const { id } = await operated.server.addClient();
    const set = await run('set-logo', id, newFile(png()), '--json');
    const { logo, ...rest } = JSON.parse(set.stdout);
    expect([set.code, rest]).toEqual([0, { client_id: id, verified: true }]);
    expect(await operated.storage.clients.findLogo(id)).toMatchObject({ digest: logo, bytes: png() });
    expect((await run('show', id)).stdout).toContain(logo);
    expect(JSON.parse((await run('show', id, '--json')).stdout)).toMatchObject({ logo });
    expect(await run('set-logo', id, '--remove')).toMatchObject({
      code: 0,
      stdout: `Client ${id} (Test) no longer has a logo.\n`,
    });
    expect(await operated.storage.clients.findLogo(id)).toBeUndefined();
    const records = await operated.storage.audit.list({ clientId: id, limit: 10 });
    expect(records.map(({ type, actor, details }) => [type, actor, details])).toEqual([
      ['client.logo_removed', 'operator', { verified: 'true' }],
      ['client.logo_set', 'operator', { verified: 'true', digest: logo }],
    ]);
  });

  it.each([
    ['another type', /is not a PNG, JPEG or WebP/, Buffer.from('<svg/>')],
    ['an empty file', /is empty/, Buffer.alloc(0)],
    ['too large a file', /larger than 200 KB/, png({ chunks: [pngChunk('tEXt', randomBytes(200_000))] })],
    ['too small an image', /16 to 2048 pixels/, png({ width: 8 })],
  ])('rejects %s with one sentence and changes nothing', async (_, reason, content) => {
    const { id } = await operated.server.addClient();
    expect(await run('set-logo', id, newFile(content))).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(reason),
    });
    expect((await operated.storage.clients.find(id))?.version).toBe(1);
  });

  it('requires either a readable file or --remove, and an existing client', async () => {
    const { id } = await operated.server.addClient();
    for (const args of [[id], [id, 'logo.png', '--remove']])
      expect((await run('set-logo', ...args)).stderr).toBe('Pass either a file or --remove.\n');
    expect((await run('set-logo', id, '/nowhere/logo.png')).stderr).toBe('Cannot read /nowhere/logo.png.\n');
    expect(await run('set-logo', 'nobody', newFile(png()))).toMatchObject({ code: 1, stdout: '' });
  });
});
