import type { Clients } from './clients.ts';

/** Disables what somebody has registered who is not let in any more: nobody looks after it, and they know its secrets. */
export async function disableClientsOf(
  owner: string,
  clients: Pick<Clients, 'list' | 'setStatus'>,
): Promise<void> {
  for await (const { id, status } of clients.list(owner)) {
    if (status === 'active') await clients.setStatus(id, 'disabled');
  }
}
