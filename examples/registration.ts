import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** URLs of Keydesk and the client registration of an example. */
export interface Registration {
  issuer: URL;
  /** The base URL of the helpdesk API, which is also its resource indicator (RFC 8707). */
  api: URL;
  clientId: string;
  /** Secret of a confidential client. */
  clientSecret: string | undefined;
}

/** Clients that `npm start` writes to its data folder. */
interface DemoClients {
  issuer: string;
  api: string;
  clients: Record<string, { client_id: string; client_secret?: string }>;
}

/**
 * Returns the registration of an example: from ISSUER, API, CLIENT_ID and CLIENT_SECRET, or as `npm start` created it.
 *
 * @throws {Error} when neither exists
 */
export function findRegistration(example: string): Registration {
  const { ISSUER, API, CLIENT_ID, CLIENT_SECRET, DATA_DIR = './data' } = process.env;
  if (ISSUER && API && CLIENT_ID)
    return { issuer: new URL(ISSUER), api: new URL(API), clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
  const file = join(DATA_DIR, 'demo-clients.json');
  if (!existsSync(file)) throw new Error(`${file} does not exist; run npm start first.`);
  const { issuer, api, clients } = JSON.parse(readFileSync(file, 'utf8')) as DemoClients;
  const client = clients[example];
  if (!client) throw new Error(`${file} has no client for ${example}.`);
  return {
    issuer: new URL(issuer),
    api: new URL(api),
    clientId: client.client_id,
    clientSecret: client.client_secret,
  };
}
