import type { Clients } from '../clients.ts';

/**
 * Ends the verification of all clients of an account that changes its name, because consent pages show the name of the
 * owner.
 *
 * @returns whether any client was verified
 */
export async function unverifyClients(
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
