import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

const LIMIT_MS = 60_000;

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Runs the start script on embedded defaults in a folder of its own, until it says that both apps serve. */
async function startKeydesk(
  env: Readonly<Record<string, string>>,
  folder = mkdtempSync(join(tmpdir(), 'start-')),
) {
  const [authPort, apiPort] = [await findFreePort(), await findFreePort()];
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start.ts')], {
    cwd: join(import.meta.dirname, '..'),
    env: { DATA_DIR: folder, AUTH_PORT: String(authPort), API_PORT: String(apiPort), ...env },
    stdio: 'pipe',
  });
  const exit = once(child, 'exit');
  async function stop(): Promise<void> {
    child.kill('SIGTERM');
    await exit;
  }
  onTestFinished(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  await expect.poll(() => output, { timeout: LIMIT_MS / 2 }).toContain('Keydesk is ready');
  const demo = JSON.parse(readFileSync(join(folder, 'demo-client.json'), 'utf8'));
  return { authPort, apiPort, output: () => output, demo, stop };
}

interface Sent {
  ca: string;
  headers?: Record<string, string>;
  body?: string;
}

async function post(url: string, { body, ...options }: Sent) {
  const sent = request(url, { method: 'POST', agent: false, ...options });
  sent.end(body);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, body: JSON.parse((await response.toArray()).join('')) };
}

describe('both apps with TLS_CERT_FILE and TLS_KEY_FILE', () => {
  it('get ready, trust each other and serve over https, from the token to the ticket', {
    timeout: LIMIT_MS,
  }, async () => {
    const { cert: ca, key } = createCertificate();
    const folder = mkdtempSync(join(tmpdir(), 'tls-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const files = { TLS_CERT_FILE: join(folder, 'cert.pem'), TLS_KEY_FILE: join(folder, 'key.pem') };
    writeFileSync(files.TLS_CERT_FILE, ca);
    writeFileSync(files.TLS_KEY_FILE, key);
    const { authPort, apiPort, output, demo } = await startKeydesk({
      ...files,
      NODE_EXTRA_CA_CERTS: files.TLS_CERT_FILE,
    });
    expect(output()).toContain(`authorization server  https://127.0.0.1:${authPort}\n`);
    expect(output()).toContain(`helpdesk API          https://127.0.0.1:${apiPort}\n`);

    const credentials = Buffer.from(`${demo.client_id}:${demo.client_secret}`).toString('base64');
    const token = await post(`https://127.0.0.1:${authPort}/token`, {
      ca,
      headers: {
        Authorization: `Basic ${credentials}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials&scope=tickets:write',
    });
    expect(token.status).toBe(200);
    const ticket = await post(`https://127.0.0.1:${apiPort}/tickets.json`, {
      ca,
      headers: { Authorization: `Bearer ${token.body.access_token}`, 'Content-Type': 'application/json' },
      body: '{"subject":"Over TLS"}',
    });
    expect(ticket).toMatchObject({ status: 201, body: { subject: 'Over TLS' } });
    await expect(fetch(`http://127.0.0.1:${apiPort}/readyz`)).rejects.toThrow();
  });
});

describe('npm start', () => {
  it('adds one account of each role and tells their passwords, the first time only', {
    timeout: LIMIT_MS,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'accounts-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { output, stop } = await startKeydesk({ DATA_DIR: folder }, folder);
    const told = [...output().matchAll(/^ {2}(customer|agent|admin)@example\.com +([\w-]{16})$/gm)];
    expect(told.map(([, role]) => role)).toEqual(['customer', 'agent', 'admin']);
    expect(new Set(told.map(([, , password]) => password)).size).toBe(3);
    expect(readFileSync(join(folder, 'demo-accounts.json'), 'utf8')).not.toContain(told[0]?.[2]);
    await stop();
    expect((await startKeydesk({ DATA_DIR: folder }, folder)).output()).not.toContain('@example.com');
  });
});
