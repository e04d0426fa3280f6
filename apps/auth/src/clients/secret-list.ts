import { AppError } from '@keydesk/server';
import { type Client, type ClientSecret, MAX_SECRETS } from './client.ts';

/** Whether a client authenticates with a secret. */
export function usesSecret({ authMethod }: Pick<Client, 'authMethod'>): boolean {
  return authMethod === 'client_secret_basic' || authMethod === 'client_secret_post';
}

/** Lists the unexpired secrets. */
export function listLiveSecrets({ secrets }: Pick<Client, 'secrets'>, now: Date): readonly ClientSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
}

/** Adds a secret and keeps the latest old one, which expires after the overlap, or earlier if it already would. */
export function rotateSecret(client: Client, added: ClientSecret, overlapSeconds: number): Client {
  const end = new Date(added.createdAt.getTime() + overlapSeconds * 1000);
  const overlapping = overlapSeconds > 0 ? client.secrets.slice(-(MAX_SECRETS - 1)) : [];
  const ending = overlapping.map((secret) => ({
    ...secret,
    expiresAt: secret.expiresAt !== null && secret.expiresAt < end ? secret.expiresAt : end,
  }));
  return withSecrets(client, [...ending, added]);
}

/**
 * Adds a secret to the unexpired ones, which keep working until they are removed.
 *
 * @throws {AppError} `conflict` if the client has the maximum number of secrets
 */
export function addSecret(client: Client, added: ClientSecret): Client {
  const live = listLiveSecrets(client, added.createdAt);
  if (live.length >= MAX_SECRETS)
    throw new AppError('conflict', `A client has at most ${MAX_SECRETS} secrets; remove one first.`);
  return withSecrets(client, [...live, added]);
}

/** @throws {AppError} `not_found` */
export function removeSecret(client: Client, secretId: string): Client {
  const rest = client.secrets.filter(({ id }) => id !== secretId);
  if (rest.length === client.secrets.length) throw new AppError('not_found', 'This secret does not exist.');
  return { ...client, secrets: rest };
}

function withSecrets(client: Client, secrets: readonly ClientSecret[]): Client {
  if (!usesSecret(client))
    throw new AppError('conflict', `Client ${client.id} authenticates without a secret.`);
  return { ...client, secrets };
}
