import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Keydesk } from './keydesk.ts';

/** Public client for signing in at the API reference. */
interface DocsClient {
  client_id: string;
  redirect_uri: string;
}

const SCOPE = 'tickets:read tickets:write tickets:delete';

/**
 * Returns the docs client id of a data folder; registers a new client unless the earlier one still exists. It runs
 * before the API starts, because the API reads the id as a setting.
 *
 * @param file stores the client for the next start
 * @param authReady resolves when the authorization server has prepared its database
 */
export async function ensureDocsClient({
  file,
  api,
  keydesk,
  authReady,
}: {
  file: string;
  api: string;
  keydesk: Keydesk;
  authReady(): Promise<void>;
}): Promise<string> {
  const redirectUri = `${api.replace(/\/$/, '')}/docs/signed-in`;
  const known: DocsClient | undefined = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  const isUsable =
    known?.redirect_uri === redirectUri &&
    (await keydesk.run(['client', 'show', known.client_id])).code === 0;
  if (isUsable) return known.client_id;
  await authReady();
  const added = await keydesk.run([
    ...['client', 'add', '--type', 'spa', '--name', 'API reference', '--scope', SCOPE],
    ...['--redirect-uri', redirectUri, '--json'],
  ]);
  if (added.code !== 0) throw new Error(`The client of /docs cannot be registered: ${added.faults}`);
  const { client_id } = JSON.parse(added.printed) as DocsClient;
  const client: DocsClient = { client_id, redirect_uri: redirectUri };
  writeFileSync(file, `${JSON.stringify(client)}\n`, { mode: 0o600 });
  return client_id;
}
