import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort, untilReady } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { png } from '../clients/logo/image.fixture.ts';
import {
  addMachineClient,
  newFolder,
  runCli,
  serveNewFolder,
  startServer,
} from '../tests/processes.fixture.ts';

describe('the backup command', () => {
  it('copies the database of a running server, and a server starts from the copy', async () => {
    const served = await serveNewFolder();
    onTestFinished(() => rmSync(served.folder, { recursive: true, force: true }));
    const run = (...args: string[]) => runCli(args, served.env);
    const { id, secret } = await addMachineClient(served.env);
    const logo = join(served.folder, 'logo.png');
    writeFileSync(logo, png());
    await run('client', 'set-logo', id, logo);
    const copy = join(served.folder, 'copy.db');
    expect(await run('backup', copy)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The database was copied to .*copy\.db \(\d+ bytes\)\.\n$/),
    });
    await run('client', 'remove', id);
    served.server.child.kill('SIGTERM');
    await served.server.ended;

    const files = readdirSync(served.folder).filter((name) => name.startsWith('auth.db'));
    for (const name of files) rmSync(join(served.folder, name));
    await rename(copy, join(served.folder, 'auth.db'));
    const port = await findFreePort();
    const env = {
      AUTH_PORT: String(port),
      STORAGE_URL: `sqlite:${join(served.folder, 'auth.db')}`,
      MASTER_SECRET_FILE: join(served.folder, 'master-secret'),
    };
    const restored = startServer(env);
    await untilReady(`http://127.0.0.1:${port}`, restored);
    const token = ['token', '--client-id', id, '--client-secret', secret];
    expect((await runCli(token, env)).code).toBe(0);
    const shown = JSON.parse((await runCli(['client', 'show', id, '--json'], env)).stdout);
    const servedLogo = await fetch(`http://127.0.0.1:${port}/application-logos/${id}/${shown.logo}`);
    expect(Buffer.from(await servedLogo.arrayBuffer())).toEqual(png());
    restored.child.kill('SIGTERM');
    await restored.ended;
  });

  it('reports a missing database and rejects MongoDB', async () => {
    const env = { DATA_DIR: newFolder() };
    const copy = join(env.DATA_DIR, 'copy.db');
    expect((await runCli(['backup', copy], env)).stderr).toMatch(/^No readable database at [^\n]*\n$/);
    const MONGODB_URL = 'mongodb://127.0.0.1/';
    expect((await runCli(['backup', copy], { ...env, MONGODB_URL })).stderr).toMatch(
      /^The database is on MongoDB/,
    );
  });
});
