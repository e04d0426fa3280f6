import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createCertificate, findFreePort } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newFolder, runCli } from '../../tests/processes.fixture.ts';

describe('the token command', () => {
  it('uses https if the server terminates TLS itself', async () => {
    const env = { AUTH_PORT: String(await findFreePort()), TLS_CERT_FILE: 'cert.pem' };
    const { stderr } = await runCli(['token', '--client-id', 'x', '--client-secret', 'y'], env);
    expect(stderr).toContain(`No server answers at https://127.0.0.1:${env.AUTH_PORT}/token`);
  });

  it('reports that no server answers', async () => {
    const env = { AUTH_PORT: String(await findFreePort()) };
    const { code, stderr } = await runCli(['token', '--client-id', 'x', '--client-secret', 'y'], env);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^No server answers at [^\n]* \(ECONNREFUSED\)[^\n]*npm start[^\n]*\n$/),
    ]);
  });

  it('reports an untrusted certificate', async () => {
    const server = createServer(createCertificate()).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { stderr } = await runCli(
      ['token', '--client-id', 'x', '--client-secret', 'y', '--issuer', issuer],
      {},
    );
    expect(stderr).toMatch(/\(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
  });

  it('uses the server that npm start last started, whatever its port', async () => {
    const [DATA_DIR, issuer] = [newFolder(), `http://127.0.0.1:${await findFreePort()}`];
    const clients = { 'machine-client': { client_id: 'x', client_secret: 'y' } };
    writeFileSync(join(DATA_DIR, 'demo-clients.json'), JSON.stringify({ issuer, clients }));
    expect((await runCli(['token'], { DATA_DIR })).stderr).toContain(`No server answers at ${issuer}/token`);
  });

  it('reports missing options', async () => {
    expect(await runCli(['token'], { DATA_DIR: newFolder() })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--client-id'),
    });
  });
});
