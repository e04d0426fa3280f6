import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StorageLocation } from './open-storage.ts';
import type { Storage } from './storage.ts';

type Port =
  | 'accounts'
  | 'accountTokens'
  | 'artifacts'
  | 'clients'
  | 'credentials'
  | 'factors'
  | 'identities'
  | 'initialAccessTokens'
  | 'keys'
  | 'registrations'
  | 'securityEvents'
  | 'tokenStatuses';
type CallOf<P extends Port> = {
  [M in keyof Storage[P]]: Storage[P][M] extends (...args: infer A) => unknown
    ? readonly [P, M, ...A]
    : never;
}[keyof Storage[P]];

/** Call of a storage port, such as `['artifacts', 'destroy', model, key]`. */
export type StorageCall = { [P in Port]: CallOf<P> }[Port];

export interface StorageCalls {
  location: StorageLocation;
  calls: readonly StorageCall[];
  /** Time of the calls, all made concurrently: milliseconds since the epoch. */
  at: number;
}

/** Another process that opens the same databases. */
export interface OtherProcess {
  /** Makes the calls; resolves with the results in the same order. */
  callAll(calls: StorageCalls): Promise<unknown[]>;
  stop(): Promise<void>;
}

export async function startOtherProcess(): Promise<OtherProcess> {
  const program = fileURLToPath(new URL('./other-process.main.fixture.ts', import.meta.url));
  const child = fork(program, { execArgv: [], serialization: 'advanced' });
  await once(child, 'message');

  return {
    async callAll(calls) {
      child.send(calls);
      const [results] = await once(child, 'message');
      if (results instanceof Error) throw results;
      return results;
    },
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
