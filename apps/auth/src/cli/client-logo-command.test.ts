import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { png, pngChunk } from '../clients/image.fixture.ts';
import { newFolder } from '../processes.fixture.ts';
import { startOperatedServer } from './operated-server.fixture.ts';

describe('the command that sets the logo of a client', () => {
  const operated = useStarted(startOperatedServer);
  const run = (...args: string[]) => operated.run('client', ...args);

  function newFile(content: Buffer): string {
    const path = join(newFolder(), 'logo');
    writeFileSync(path, content);
    return path;
  }

  it('stores it, shows it with the client, and removes it, which is on record', async () => {
    const { id } = await operated.server.addClient();
    const set = await run('set-logo', id, newFile(png()), '--json');
    const { logo, ...rest } = JSON.parse(set.said);
    expect([set.code, rest]).toEqual([0, { client_id: id, verified: true }]);
    expect(await operated.storage.clients.findLogo(id)).toMatchObject({ digest: logo, bytes: png() });
    expect((await run('show', id)).said).toContain(logo);
    expect(JSON.parse((await run('show', id, '--json')).said)).toMatchObject({ logo });
    expect(await run('set-logo', id, '--remove')).toMatchObject({
      code: 0,
      said: `Client ${id} (Test) has no logo any more.\n`,
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
  ])('refuses %s in one sentence, and changes nothing', async (_, problem, content) => {
    const { id } = await operated.server.addClient();
    expect(await run('set-logo', id, newFile(content))).toMatchObject({
      code: 1,
      said: '',
      problem: expect.stringMatching(problem),
    });
    expect((await operated.storage.clients.find(id))?.version).toBe(1);
  });

  it('wants either a file that it can read, or to remove, and a client that is there', async () => {
    const { id } = await operated.server.addClient();
    for (const args of [[id], [id, 'logo.png', '--remove']])
      expect((await run('set-logo', ...args)).problem).toBe('Give either a file or --remove.\n');
    expect((await run('set-logo', id, '/nowhere/logo.png')).problem).toBe(
      '/nowhere/logo.png cannot be read.\n',
    );
    expect(await run('set-logo', 'nobody', newFile(png()))).toMatchObject({ code: 1, said: '' });
  });
});
