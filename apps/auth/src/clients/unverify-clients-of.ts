import type { Clients } from './clients.ts';

/**
 * Takes back what was vouched for while somebody went by another name: people are shown it with their applications.
 *
 * @returns whether anything was
 */
export async function unverifyClientsOf(
  owner: string,
  clients: Pick<Clients, 'list' | 'setVerified'>,
): Promise<boolean> {
  let wasVerified = false;
  for await (const { id, isVerified } of clients.list(owner)) {
    if (!isVerified) continue;
    await clients.setVerified(id, false);
    wasVerified = true;
  }
  return wasVerified;
}
