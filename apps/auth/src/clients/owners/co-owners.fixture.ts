import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { assembleClients } from '../../composition/clients.ts';
import { type Engine, useStorage } from '../../storage/engines.fixture.ts';
import type { Client } from '../client.ts';

export const derived = { clientSecrets: createSecretKey(randomBytes(32)) };
export const ONE_DAY_MS = 86_400_000;

/** The error of a change of owners. */
export const conflict = (code: string) => ({ code: 'conflict', errors: [{ code }] });

/** Clients on their own storage, with a clock that tests set, and functions that invite and add co-owners. */
export function useSharedClients(engine: Engine) {
  const storage = useStorage(engine);
  const time = { now: Date.now() };
  const now = () => new Date(time.now);
  const clients = () => assembleClients({ storage: storage.get(), derived, now });
  /** The use cases on another connection, as in another process. */
  const otherProcess = async () => assembleClients({ storage: await storage.openAnother(), derived, now });

  async function register(owner = uuidv7()): Promise<Client & { owner: string }> {
    const request = {
      type: 'spa' as const,
      name: 'Board',
      scopes: [],
      redirectUris: ['https://app.example/'],
    };
    const { client } = await clients().register(request, { id: owner, limit: 99 });
    return { ...client, owner };
  }
  const invitee = (id = uuidv7()) => ({ id, email: `${id}@example.org`, emailVerified: true });
  const draft = (email: string, invitedBy: string) => ({
    id: uuidv7(),
    email,
    digest: randomUUID(),
    invitedBy,
    expiresAt: new Date(time.now + ONE_DAY_MS),
  });
  async function invite({ id, owner }: { id: string; owner: string }, invited = invitee()) {
    const invitation = draft(invited.email, owner);
    await clients().invite(id, invitation);
    const answer = { digest: invitation.digest, answer: 'accepted' } as const;
    return { id, invited, invitation, answer };
  }
  async function addCoOwners(id: string, count: number): Promise<string[]> {
    const accounts = Array.from({ length: count }, () => uuidv7());
    for (const account of accounts) await clients().addCoOwner(id, account);
    return accounts;
  }

  return { storage, time, now, clients, otherProcess, register, invitee, draft, invite, addCoOwners };
}
