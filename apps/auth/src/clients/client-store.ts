import type { Client } from './client.ts';

/**
 * What the clients domain needs of a database. Safe under many processes; writes resolve when durable; failures of
 * the engine reject with `AppError('unavailable')`.
 */
export interface ClientStore {
  /** Adds a client whose id is not in use. */
  insert(client: Client): Promise<void>;
  /** The client as last written by any process. Called on every token request: one indexed read. */
  find(id: string): Promise<Client | undefined>;
  /** Up to `limit` clients in order of their id, behind `afterId`. */
  list(page: { afterId?: string; limit: number }): Promise<readonly Client[]>;
  /** Compare-and-set: writes `client` if the stored version is `expectedVersion`; exactly one racer gets `true`. */
  replace(client: Client, expectedVersion: number): Promise<boolean>;
  /** `false` when there was none. */
  remove(id: string): Promise<boolean>;
  /** Records the use of a secret without changing the client's version; an earlier time never replaces a later one. */
  touchSecret(clientId: string, secretId: string, at: Date): Promise<void>;
}
