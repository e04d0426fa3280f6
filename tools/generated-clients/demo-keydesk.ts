import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@keydesk/testing';

/** Both apps, started by `npm start` on free ports in a temporary folder. */
export interface DemoKeydesk {
  /** URLs of both apps and the credentials of a machine client with the role agent. */
  env: { ISSUER: string; API: string; CLIENT_ID: string; CLIENT_SECRET: string };
  stop(): Promise<void>;
}

const START = join(import.meta.dirname, '../start.ts');

export async function startDemoKeydesk(): Promise<DemoKeydesk> {
  const folder = await mkdtemp(join(tmpdir(), 'keydesk-clients-'));
  const [authPort, apiPort] = [await findFreePort(), await findFreePort()];
  const child = spawn(process.execPath, [START], {
    cwd: join(import.meta.dirname, '../..'),
    env: { DATA_DIR: folder, AUTH_PORT: String(authPort), API_PORT: String(apiPort) },
    stdio: 'pipe',
  });
  const ended = once(child, 'close');
  async function stop(): Promise<void> {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (output.includes('Keydesk is ready')) resolve();
      });
    }
    ended.then(() => reject(new Error(`Keydesk did not start:\n${output}`)), reject);
  });
  try {
    await ready;
    const { issuer, api, clients } = JSON.parse(readFileSync(join(folder, 'demo-clients.json'), 'utf8'));
    const { client_id, client_secret } = clients['machine-client'];
    return {
      env: { ISSUER: issuer, API: api, CLIENT_ID: client_id, CLIENT_SECRET: client_secret },
      stop,
    };
  } catch (err) {
    await stop();
    throw err;
  }
}
