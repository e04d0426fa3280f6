import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findFreePort, untilReady } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDevelopmentSecret } from './keys/master-secret.ts';
import { newFolder, startServer } from './tests/processes.fixture.ts';

const secret = () => randomBytes(32).toString('base64url');

/** Valid settings of a server with its own data folder. */
async function validEnv() {
  const port = await findFreePort();
  const folder = newFolder();
  return {
    folder,
    url: `http://127.0.0.1:${port}`,
    env: {
      AUTH_PORT: String(port),
      STORAGE_URL: `sqlite:${join(folder, 'auth.db')}`,
      MASTER_SECRET: secret(),
    },
  };
}

describe('the server as a program', () => {
  it('writes only its own log lines from start to stop, and no warning of oidc-provider', async () => {
    const { url, env } = await validEnv();
    const server = startServer(env);
    await untilReady(url, server);
    await fetch(`${url}/token`, { method: 'POST', headers: { Accept: 'text/html' } });
    await fetch(`${url}/token`, {
      method: 'POST',
      headers: { Origin: 'https://page.example' },
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' }),
    });
    server.child.kill('SIGTERM');
    const { code, stdout, stderr } = await server.ended;
    expect([code, stderr]).toEqual([0, '']);
    for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ name: 'auth' });
  });

  it('keeps its keys across a restart', async () => {
    const { url, env } = await validEnv();
    const keysOfOneRun = async () => {
      const server = startServer(env);
      await untilReady(url, server);
      const keys = await (await fetch(`${url}/jwks`)).json();
      server.child.kill('SIGINT');
      expect((await server.ended).code).toBe(0);
      return keys;
    };
    expect(await keysOfOneRun()).toEqual(await keysOfOneRun());
  });

  it('finishes requests in flight on SIGTERM and accepts no new ones', async () => {
    const { url, env } = await validEnv();
    const server = startServer(env);
    await untilReady(url, server);
    const { port } = new URL(url);
    const { connect } = await import('node:net');
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
    const body = 'grant_type=client_credentials&client_id=x';
    socket.write(
      'POST /token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n' +
        `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(200);
    server.child.kill('SIGTERM');
    await expect.poll(() => fetch(`${url}/healthz`).catch(() => 'refused')).toBe('refused');
    socket.write(body.slice(10));
    const [answer] = await once(socket, 'data');
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect((await server.ended).code).toBe(0);
  });

  it('drains on SIGTERM: not ready, but serving, until DRAIN_SECONDS have passed or a second signal arrives', async () => {
    const { url, env } = await validEnv();
    const server = startServer({ ...env, DRAIN_SECONDS: '600' });
    await untilReady(url, server);
    server.child.kill('SIGTERM');
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);
    const answer = await fetch(`${url}/jwks`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    server.child.kill('SIGINT');
    expect((await server.ended).code).toBe(0);
  });

  it('serves metrics on their own listener if METRICS_PORT is set, never on the public one', async () => {
    const { url, env } = await validEnv();
    const metricsPort = await findFreePort();
    const server = startServer({ ...env, METRICS_PORT: String(metricsPort) });
    await untilReady(url, server);
    await fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams({ client_id: 'x' }) });
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).toContain(
      'http_request_duration_seconds_count{method="POST",route="/token",status="401"} 1',
    );
    expect(metrics).toContain('auth_token_requests_refused_total{error="invalid_client"} 1');
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
  });
});

describe('a server that cannot start', () => {
  async function failureOf(env: Readonly<Record<string, string>>) {
    const { code, stdout, stderr } = await startServer(env).ended;
    expect(stderr).not.toMatch(/ at .*\.(ts|js):/);
    return { code, stdout, stderr };
  }

  it('lists every invalid setting at once, without its value', async () => {
    const { code, stderr } = await failureOf({
      AUTH_PORT: 'hunter2',
      ISSUER: 'https://hunter2.example/path',
      STORAGE_URL: 'postgres://hunter2',
      ACCESS_TOKEN_TTL_SECONDS: '3600',
      REDIS_URL: 'hunter2',
      API_AUDIENCE: 'hunter2',
    });
    expect(code).toBe(1);
    for (const name of [
      'AUTH_PORT',
      'ISSUER',
      'STORAGE_URL',
      'ACCESS_TOKEN_TTL_SECONDS',
      'REDIS_URL',
      'API_AUDIENCE',
      'MASTER_SECRET',
    ])
      expect(stderr).toMatch(new RegExp(`^ {2}${name}: `, 'm'));
    expect(stderr).not.toContain('hunter2');
  });

  it('rejects development settings in production, with every reason at once', async () => {
    const path = join(newFolder(), 'master-secret');
    createDevelopmentSecret(path);
    const { code, stderr } = await failureOf({
      NODE_ENV: 'production',
      MASTER_SECRET_FILE: path,
      ISSUER: 'http://auth.example.com',
      AUTH_PORT: '99999',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/MASTER_SECRET: is a development secret/);
    expect(stderr).toMatch(/ISSUER: must be an https URL/);
    expect(stderr).toMatch(/API_AUDIENCE: must be set/);
    expect(stderr).toMatch(/SMTP_URL: is missing/);
    expect(stderr).toMatch(/AUTH_PORT: must be a whole number from 0 to 65535/);
  });

  it('reports an invalid setting as invalid, not as missing', async () => {
    const names = ['ISSUER', 'API_AUDIENCE', 'SMTP_URL'];
    const faulty = Object.fromEntries(names.map((name) => [name, 'x']));
    const { stderr } = await failureOf({ NODE_ENV: 'production', ...faulty });
    for (const name of names) expect(stderr.match(new RegExp(`^ {2}${name}: `, 'gm'))).toHaveLength(1);
  });

  it('rejects production without a master secret or an issuer, and with a short secret', async () => {
    const { stderr } = await failureOf({ NODE_ENV: 'production' });
    expect(stderr).toMatch(/MASTER_SECRET: is missing/);
    expect(stderr).toMatch(/ISSUER: must be set/);
    expect((await failureOf({ NODE_ENV: 'production', MASTER_SECRET: 'short' })).stderr).toMatch(
      /MASTER_SECRET: needs at least 32 random bytes/,
    );
  });

  it('starts in production with safe settings, including a loopback issuer', async () => {
    const { url, env } = await validEnv();
    const server = startServer({
      ...env,
      NODE_ENV: 'production',
      ISSUER: url,
      API_AUDIENCE: 'https://api.example.com',
      SMTP_URL: 'smtp://127.0.0.1:2525',
      MAIL_FROM: 'Support <support@example.com>',
    });
    await untilReady(url, server);
  });

  it('reports in one line that its port is in use', async () => {
    const { env } = await validEnv();
    const blocker = createServer().listen(Number(env.AUTH_PORT), '127.0.0.1');
    onTestFinished(() => void blocker.close());
    await once(blocker, 'listening');
    const { code, stderr } = await failureOf(env);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^The authorization server cannot start: [^\n]*set AUTH_PORT to another port\.\n$/,
    );
  });

  it('reports in one line that its database is unusable', async () => {
    const { env, folder } = await validEnv();
    const path = join(folder, 'not-a-database');
    writeFileSync(path, 'x'.repeat(5_000));
    const { code, stderr } = await failureOf({ ...env, STORAGE_URL: `sqlite:${path}` });
    expect([code, stderr.split('\n')]).toEqual([1, [expect.stringContaining('cannot start'), '']]);
  });

  it('reports in one line that the keys were sealed with another master secret', async () => {
    const { url, env } = await validEnv();
    const server = startServer(env);
    await untilReady(url, server);
    server.child.kill('SIGTERM');
    await server.ended;
    const { code, stderr } = await failureOf({ ...env, MASTER_SECRET: secret() });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The authorization server cannot start: [^\n]*master secret[^\n]*\n$/i);
  });
});
