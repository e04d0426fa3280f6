import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Keydesk } from './keydesk.ts';

/** A machine client for development; its secret is readable in the data folder. */
export interface DemoClient {
  client_id: string;
  client_secret: string;
}

/** File that the programs in `examples/` read from the data folder. */
interface DemoClients {
  issuer: string;
  api: string;
  clients: { 'machine-client': DemoClient } & Record<string, { client_id: string }>;
}

const DEMO_SCOPE = 'tickets:read tickets:write tickets:delete';

const machine = ['--type', 'machine', '--name', 'Demo client', '--scope', DEMO_SCOPE, '--role', 'agent'];
const reader = ['--scope', 'tickets:read tickets:write'];

/** Arguments of `client add` by folder of the example. */
const registrations: Record<string, readonly string[]> = {
  'machine-client': machine,
  'native-app': [
    ...['--type', 'native', '--name', 'Example native app', ...reader],
    ...['--redirect-uri', 'http://127.0.0.1/callback'],
  ],
  'single-page-app': [
    ...['--type', 'spa', '--name', 'Example single-page app', ...reader],
    ...['--redirect-uri', 'http://127.0.0.1:5173/'],
  ],
  device: ['--type', 'device', '--name', 'Example wall screen', ...reader],
};

/**
 * Returns the machine client of a data folder; registers the demo clients unless earlier ones are still valid.
 *
 * @param file stores the clients for the examples
 */
export async function ensureDemoClients({
  file,
  issuer,
  api,
  keydesk,
}: {
  file: string;
  issuer: string;
  api: string;
  keydesk: Keydesk;
}): Promise<DemoClient> {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  const known = before === undefined ? undefined : (JSON.parse(before) as DemoClients);
  const clients =
    known && (await isAccepted(known.clients['machine-client'], issuer))
      ? known.clients
      : await register(keydesk);
  const text = `${JSON.stringify({ issuer, api, clients }, null, 2)}\n`;
  if (text !== before) writeFileSync(file, text, { mode: 0o600 });
  return clients['machine-client'];
}

async function register(keydesk: Keydesk): Promise<DemoClients['clients']> {
  const clients: Record<string, unknown> = {};
  for (const [example, args] of Object.entries(registrations)) {
    const { code, printed, faults } = await keydesk.run(['client', 'add', ...args, '--json']);
    if (code !== 0) throw new Error(`The demo client ${example} cannot be registered: ${faults}`);
    const { client_id, client_secret } = JSON.parse(printed) as DemoClient;
    clients[example] = { client_id, client_secret };
  }
  return clients as DemoClients['clients'];
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
