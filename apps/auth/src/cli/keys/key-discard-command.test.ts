import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, untilReady } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDevelopmentSecret } from '../../keys/master-secret.ts';
import { addMachineClient, runCli, serveNewFolder, startServer } from '../../tests/processes.fixture.ts';

describe('a server whose master secret is lost', () => {
  it('starts with another one after keys discard, and its clients work with new secrets', async () => {
    const served = await serveNewFolder();
    onTestFinished(() => rmSync(served.folder, { recursive: true, force: true }));
    const { id } = await addMachineClient(served.env);
    served.server.child.kill('SIGTERM');
    await served.server.ended;

    const port = await findFreePort();
    const MASTER_SECRET_FILE = join(served.folder, 'another-secret');
    createDevelopmentSecret(MASTER_SECRET_FILE);
    const STORAGE_URL = `sqlite:${join(served.folder, 'auth.db')}`;
    const env = { AUTH_PORT: String(port), STORAGE_URL, MASTER_SECRET_FILE };
    expect((await startServer(env).ended).stderr).toContain('The master secret does not match');
    expect(await runCli(['keys', 'discard'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pass --yes'),
    });
    expect((await startServer(env).ended).stderr).toContain('The master secret does not match');
    expect((await runCli(['keys', 'discard', '--yes'], { STORAGE_URL })).code).toBe(0);

    const restarted = startServer(env);
    await untilReady(`http://127.0.0.1:${port}`, restarted);
    const rotated = await runCli(['client', 'rotate-secret', id, '--overlap', '0', '--json'], env);
    const { client_secret: secret } = JSON.parse(rotated.stdout);
    const token = await runCli(['token', '--client-id', id, '--client-secret', secret], env);
    expect(token).toMatchObject({ code: 0, stderr: '' });
    const recorded = await runCli(['audit', 'list', '--type', 'keys.', '--json'], env);
    expect(JSON.parse(recorded.stdout).map(({ type }: { type: string }) => type)).toContain('keys.discarded');
    restarted.child.kill('SIGTERM');
    await restarted.ended;
  });
});
