import type { Comparison } from './comparison.ts';
import { runOperatorCommand } from './operator.ts';

export interface Client {
  client_id: string;
  client_secret: string;
}

/** Registers a machine client with the role agent and all scopes. */
export function addMachine(env: Readonly<Record<string, string>>): Promise<Client> {
  const args = ['client', 'add', '--type', 'machine', '--name', 'bench', '--role', 'agent'];
  return runOperatorCommand(env, [...args, '--scope', 'tickets:read tickets:write tickets:delete']);
}

export async function fetchToken(issuer: string, client: Client): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    ...tokenRequest(client, 'tickets:read tickets:write'),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

export function tokenRequest({ client_id, client_secret }: Client, scope: string) {
  return {
    headers: {
      Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }).toString(),
  };
}

/** Compares the client credentials grant with plain oidc-provider. */
export function tokenCase(issuer: string, client: Client, bareUrl: string): Comparison {
  const bare = { client_id: 'bench', client_secret: 'bench-secret-bench-secret-bench-secret' };
  const load = (url: string, who: Client) => ({
    url,
    requests: [{ method: 'POST', path: '/token', ...tokenRequest(who, 'tickets:read') }],
  });
  return {
    name: 'token, client_credentials',
    target: 0.8,
    keydesk: load(issuer, client),
    baseline: load(bareUrl, bare),
  };
}
