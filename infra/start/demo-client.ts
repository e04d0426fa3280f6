import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A machine client to try things with; its secret lies readable in the data folder, for development only. */
export interface DemoClient {
  client_id: string;
  client_secret: string;
}

const run = promisify(execFile);
const CLI = join(import.meta.dirname, '../../apps/auth/src/cli/main.ts');
export const DEMO_SCOPE = 'tickets:read tickets:write tickets:delete';

/** The demo client of a data folder: the one of an earlier start while the server still knows it, else a new one. */
export async function ensureDemoClient({
  file,
  issuer,
  env,
}: {
  file: string;
  issuer: string;
  env: NodeJS.ProcessEnv;
}): Promise<DemoClient> {
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoClient) : undefined;
  if (known && (await isAccepted(known, issuer))) return known;
  const { stdout } = await run(
    process.execPath,
    [
      CLI,
      'client',
      'add',
      '--type',
      'machine',
      '--name',
      'Demo client',
      '--scope',
      DEMO_SCOPE,
      '--role',
      'agent',
      '--json',
    ],
    { env },
  );
  const { client_id, client_secret } = JSON.parse(stdout) as DemoClient;
  writeFileSync(file, `${JSON.stringify({ client_id, client_secret })}\n`, { mode: 0o600 });
  return { client_id, client_secret };
}

async function isAccepted({ client_id, client_secret }: DemoClient, issuer: string): Promise<boolean> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: DEMO_SCOPE }),
  });
  await response.body?.cancel();
  return response.status !== 401;
}
