import type { Client, ClientSecret } from '../clients/client.ts';

type SecretUse = Pick<ClientSecret, 'id' | 'lastUsedAt'>;

/** Returns the client with the later of the stored and the given last use of each secret. */
export function withLatestUses(client: Client, uses: readonly SecretUse[]): Client {
  const secrets = client.secrets.map((secret) => {
    const use = uses.find(({ id }) => id === secret.id)?.lastUsedAt ?? null;
    return isLater(use, secret.lastUsedAt) ? { ...secret, lastUsedAt: use } : secret;
  });
  return { ...client, secrets };
}

function isLater(time: Date | null, than: Date | null): boolean {
  return time !== null && (than === null || time > than);
}
