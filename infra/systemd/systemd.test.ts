import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, startProgram, untilReady } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Reads a unit and moves its folders below a new one. */
function lay(name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'systemd-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'master-secret'), randomBytes(32).toString('base64'));
  const place = (file: string) =>
    readFileSync(join(root, 'infra/systemd', file), 'utf8').replaceAll(/\/(var\/lib|etc)\/keydesk/g, folder);
  const environmentFile = join(folder, `${name}.env`);
  writeFileSync(environmentFile, place(`${name}.env`));
  const unit = place(`keydesk-${name}.service`);
  const get = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
  return { environmentFile, get };
}

/** Reads an environment file with a shell, as operator commands do. */
function read(environmentFile: string): Record<string, string> {
  const script = 'set -a; . "$0"; env -0';
  const listed = execFileSync('sh', ['-c', script, environmentFile], { encoding: 'utf8', env: {} });
  const variables = listed.split('\0').filter((line) => line.includes('='));
  return Object.fromEntries(
    variables.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

describe.each([
  ['auth', 'AUTH_PORT'],
  ['api', 'API_PORT'],
])('the systemd unit of %s', (name, portSetting) => {
  it('starts a production server with its environment file, and stops it gracefully', async () => {
    const { environmentFile, get } = lay(name);
    expect(get('EnvironmentFile')).toBe(environmentFile);
    const [node = '', script = ''] = get('ExecStart').replaceAll('/opt/keydesk', root).split(' ');
    expect(existsSync(node)).toBe(true);
    const port = await findFreePort();
    const [variable = '', value = ''] = get('Environment').split('=');
    const set = { [variable]: value, [portSetting]: String(port) };
    // The issuer of the example does not exist.
    const env = { ...read(environmentFile), ...set, JWKS_URL: 'http://127.0.0.1:9/jwks' };
    const server = startProgram(script, { env });
    onTestFinished(() => void server.child.kill('SIGKILL'));
    await untilReady(`http://127.0.0.1:${port}`, server);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' });
  });
});
