import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate, findFreePort } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli as runKeydesk } from '../../apps/auth/src/cli/program.ts';
import { runStart, startKeydesk } from './start.fixture.ts';

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
  it('become ready, trust each other and serve tokens and tickets over https', async () => {
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
  it('prints nothing before its banner', async () => {
    const { output } = await startKeydesk();
    expect(output()).toMatch(/^\nKeydesk is ready/);
  });

  it('lets the API receive the events of deleted accounts', async () => {
    const { authPort, folder } = await startKeydesk();
    const client = JSON.parse(readFileSync(join(folder, 'security-events-client.json'), 'utf8'));
    const env = { DATA_DIR: folder, ISSUER: `http://127.0.0.1:${authPort}` };
    const printed: string[] = [];
    const show = () =>
      runKeydesk(['client', 'show', client.client_id, '--json'], {
        env,
        print: (text) => void printed.push(text),
        printError: (text) => void printed.push(text),
        readInput: async () => '',
      });
    // The API has polled when its secret was used.
    await expect
      .poll(
        async () => {
          await show();
          return printed.at(-1);
        },
        { timeout: 60_000 },
      )
      .toMatch(/"last_used_at": "/);
  });

  it('exits with 1 and the reason when an app cannot start', async () => {
    const { ended, output } = await runStart({ RATE_LIMIT_STATUS: '500' });
    expect(await ended).toBe(1);
    expect(output()).toMatch(/RATE_LIMIT_STATUS/);
    expect(output()).toContain('The helpdesk API ended with exit code 1');
  });

  it('reports a port in use or an unwritable data folder in one line before it starts an app', async () => {
    const port = await findFreePort();
    const other = createServer().listen(port, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const taken = await runStart({ API_PORT: String(port) });
    expect(await taken.ended).toBe(1);
    expect(taken.output()).toMatch(/^127\.0\.0\.1:\d+ cannot be used [^\n]*API_PORT[^\n]*\n$/);
    const unwritable = await runStart({ DATA_DIR: '/dev/null/data' });
    expect(await unwritable.ended).toBe(1);
    expect(unwritable.output()).toMatch(/^The data folder [^\n]*DATA_DIR[^\n]*\n$/);
  });

  it('stops both when one of them dies, and exits with 1', async () => {
    const { authPort, ended, output } = await startKeydesk({ LOG_LEVEL: 'info' });
    const listening = /"pid":(\d+).*"name":"tickets-api".*"listening"/;
    // Log lines may be delayed.
    await expect.poll(output).toMatch(listening);
    process.kill(Number(listening.exec(output())?.[1]), 'SIGKILL');
    expect(await ended).toBe(1);
    expect(output()).toContain('The helpdesk API ended with SIGKILL; stopping the other.');
    await expect(fetch(`http://127.0.0.1:${authPort}/healthz`)).rejects.toThrow();
  });

  it('does not report a server that ends because it was stopped', async () => {
    const { ended, output, kill } = await startKeydesk();
    kill('SIGINT');
    expect(await ended).toBe(0);
    expect(output()).not.toContain('stopping the other');
  });

  it('names the setting to change when the address cannot be bound', async () => {
    const { ended, output } = await runStart({ HOST: '192.0.2.1' });
    expect(await ended).toBe(1);
    expect(output()).toMatch(
      /^192\.0\.2\.1:\d+ cannot be used .*; set HOST to an address of this machine\.$/m,
    );
  });

  it('prints its settings with --help, and refuses arguments', async () => {
    const asked = await runStart({}, { args: ['--help'] });
    expect(await asked.ended).toBe(0);
    expect(asked.output()).toMatch(/^ {2}DATA_DIR .*\(\.\/data\)$/m);
    const refused = await runStart({}, { args: ['--port', '4000'] });
    expect(await refused.ended).toBe(2);
    expect(refused.output()).toContain('takes no arguments');
  });

  it('refuses one port for both apps', async () => {
    const port = String(await findFreePort());
    const { ended, output } = await runStart({ AUTH_PORT: port, API_PORT: port });
    expect(await ended).toBe(1);
    expect(output()).toBe('Invalid settings:\n  AUTH_PORT and API_PORT: must differ\n');
  });

  it.each(['STORAGE_URL', 'STORAGE_URL_FILE'])(
    'refuses %s, which applies to one app, and names the settings for both',
    async (name) => {
      const { ended, output } = await runStart({ [name]: 'mongodb://127.0.0.1/helpdesk' });
      expect(await ended).toBe(1);
      expect(output()).toMatch(new RegExp(`^  ${name}: .* DATA_DIR or MONGODB_URL\n$`, 'm'));
    },
  );

  it('adds one account per role and prints the passwords once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'accounts-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { output, stop } = await startKeydesk({}, { folder });
    const printed = [...output().matchAll(/^ {2}(customer|agent|admin)@example\.com +([\w-]{16})$/gm)];
    expect(printed.map(([, role]) => role)).toEqual(['customer', 'agent', 'admin']);
    expect(new Set(printed.map(([, , password]) => password)).size).toBe(3);
    expect(readFileSync(join(folder, 'demo-accounts.json'), 'utf8')).not.toContain(printed[0]?.[2]);
    await stop();
    expect((await startKeydesk({}, { folder })).output()).not.toContain('@example.com');
  });

  it('sets a name for each demo account', async () => {
    const { folder } = await startKeydesk();
    const printed: string[] = [];
    await runKeydesk(['account', 'list', '--json'], {
      env: { DATA_DIR: folder, STORAGE_URL: `sqlite:${join(folder, 'auth.db')}` },
      print: (text) => void printed.push(text),
      printError: () => undefined,
      readInput: async () => '',
    });
    const names = JSON.parse(printed.join('')).map(({ name }: { name: string }) => name);
    expect(names.toSorted()).toEqual(['Alex Morgan', 'Robin Carter', 'Sam Taylor']);
  });
});
