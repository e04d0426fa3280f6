import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@keydesk/testing';
import { untilListening } from './client-program.fixture.ts';
import type { Keydesk } from './keydesk.fixture.ts';

/** An Apache site with sign-in by mod_auth_openidc. */
export interface ApacheSite {
  origin: string;
  stop(): Promise<void>;
}

/** Folder that Apache's workers can read; they run as another user without access to the test folder. */
const PARENT_FOLDER = '/tmp';

/**
 * Starts Apache on a free port with a new client and a temporary folder.
 *
 * @param program path of `apache2`
 * @throws {Error} with Apache's error log when it does not start
 */
export async function startApache(keydesk: Keydesk, program: string): Promise<ApacheSite> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const client = await keydesk.register('apache', 'web', '--redirect-uri', `${origin}/callback`);
  const folder = prepareFolder(keydesk.certificateFile);
  const child = spawn(program, ['-D', 'FOREGROUND', '-f', join(import.meta.dirname, 'apache/httpd.conf')], {
    env: {
      ...keydesk.env,
      ...client,
      FOLDER: folder,
      ORIGIN: origin,
      PORT: String(port),
      PASSPHRASE: randomBytes(16).toString('hex'),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const kill = () => void child.kill('SIGTERM');
  process.once('exit', kill);
  const ended = once(child, 'close').then(() => {
    process.off('exit', kill);
    const log = readFileSync(join(folder, 'error.log'), 'utf8');
    rmSync(folder, { recursive: true });
    return new Error(`Apache ended: ${log}`);
  });
  await untilListening(port, ended);
  return {
    origin,
    async stop() {
      kill();
      await ended;
    },
  };
}

function prepareFolder(certificateFile: string): string {
  const folder = mkdtempSync(join(PARENT_FOLDER, 'keydesk-apache-'));
  chmodSync(folder, 0o755);
  copyFileSync(certificateFile, join(folder, 'trusted.pem'));
  chmodSync(join(folder, 'trusted.pem'), 0o644);
  mkdirSync(join(folder, 'site'));
  writeFileSync(join(folder, 'site/index.html'), 'For people who have signed in.');
  return folder;
}
