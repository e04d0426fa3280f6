import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { newFolder, runCli } from '../processes.fixture.ts';

describe('the token command', () => {
  it('asks by https where the server serves TLS itself', async () => {
    const env = { AUTH_PORT: String(await findFreePort()), TLS_CERT_FILE: 'cert.pem' };
    const { stderr } = await runCli(['token', '--client-id', 'x', '--client-secret', 'y'], env);
    expect(stderr).toContain(`No server answers at https://127.0.0.1:${env.AUTH_PORT}/token`);
  });

  it('says that no server answers', async () => {
    const env = { AUTH_PORT: String(await findFreePort()) };
    const { code, stderr } = await runCli(['token', '--client-id', 'x', '--client-secret', 'y'], env);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^No server answers at [^\n]*npm start[^\n]*\n$/),
    ]);
  });

  it('asks the server that npm start last served the data folder with, whatever its port', async () => {
    const [DATA_DIR, issuer] = [newFolder(), `http://127.0.0.1:${await findFreePort()}`];
    const clients = { 'machine-client': { client_id: 'x', client_secret: 'y' } };
    writeFileSync(join(DATA_DIR, 'demo-clients.json'), JSON.stringify({ issuer, clients }));
    expect((await runCli(['token'], { DATA_DIR })).stderr).toContain(`No server answers at ${issuer}/token`);
  });

  it('says what the token command lacks', async () => {
    expect(await runCli(['token'], { DATA_DIR: newFolder() })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--client-id'),
    });
  });
});
