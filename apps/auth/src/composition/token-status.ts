import type { KeyRing } from '../keys/key-ring.ts';
import { routes } from '../provider/routes.ts';
import { createMachineStatuses, type FindMachineStatus } from '../token-status/machine-statuses.ts';
import { createRevokedStatuses } from '../token-status/revoked-statuses.ts';
import { type AllocateStatusIndex, statusIndexesOf } from '../token-status/status-indexes.ts';
import {
  createStatusListPublisher,
  type StatusListPublisher,
} from '../token-status/status-list-publisher.ts';
import type { SharedDeps } from './shared-deps.ts';

/** Statuses of access tokens: their allocation, and the list that resource servers read. */
export interface TokenStatusArea {
  uri: string;
  allocate: AllocateStatusIndex;
  findMachineStatus: FindMachineStatus;
  publisher: StatusListPublisher;
}

export function createTokenStatusArea(shared: SharedDeps, ring: Pick<KeyRing, 'keys'>): TokenStatusArea {
  const { config, storage, derived, now } = shared;
  const { accounts, artifacts, clients, tokenStatuses: statuses } = storage;
  const uri = `${config.issuer}${routes.tokenStatusList}`;
  const sealer = derived.artifacts;
  const allocate = statusIndexesOf(statuses);
  return {
    uri,
    allocate,
    findMachineStatus: createMachineStatuses({ artifacts, allocate, now }),
    publisher: createStatusListPublisher({
      issuer: config.issuer,
      uri,
      statuses,
      listRevoked: createRevokedStatuses({ statuses, accounts, clients, artifacts, sealer, now }),
      keys: ring.keys,
      now,
    }),
  };
}
