import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Keydesk } from './keydesk.ts';

/** Client with which the API polls for security events. */
interface SecurityEventsClient {
  client_id: string;
  client_secret: string;
}

/**
 * Returns the settings with which the API receives security events; registers a new client unless the earlier one
 * still exists. It runs before the API starts.
 *
 * @param file stores the client for the next start
 * @param authReady resolves when the authorization server has prepared its database
 */
export async function ensureSecurityEventsClient({
  file,
  keydesk,
  authReady,
}: {
  file: string;
  keydesk: Keydesk;
  authReady(): Promise<void>;
}): Promise<Readonly<Record<string, string>>> {
  const known = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as SecurityEventsClient)
    : undefined;
  const isUsable = known && (await keydesk.run(['client', 'show', known.client_id])).code === 0;
  return toSettings(isUsable ? known : await register());

  async function register(): Promise<SecurityEventsClient> {
    await authReady();
    const args = ['client', 'add', '--type', 'resource-server', '--name', 'Helpdesk API', '--json'];
    const added = await keydesk.run(args);
    if (added.code !== 0)
      throw new Error(`The client for security events cannot be registered: ${added.faults}`);
    const { client_id, client_secret } = JSON.parse(added.printed) as SecurityEventsClient;
    writeFileSync(file, `${JSON.stringify({ client_id, client_secret })}\n`, { mode: 0o600 });
    return { client_id, client_secret };
  }
}

function toSettings({ client_id, client_secret }: SecurityEventsClient): Readonly<Record<string, string>> {
  return { SECURITY_EVENTS_CLIENT_ID: client_id, SECURITY_EVENTS_CLIENT_SECRET: client_secret };
}
