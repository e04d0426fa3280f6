import type { AccountsOptions } from '../accounts/accounts.ts';
import { createConnectedApplications } from '../provider/grants/connected-applications.ts';
import { createRememberedConsents } from '../provider/grants/remembered-consents.ts';
import { assembleClients } from './clients.ts';
import type { SharedDeps } from './shared-deps.ts';

type ExportDeps = Pick<SharedDeps, 'storage' | 'now'> & {
  derived: Pick<SharedDeps['derived'], 'artifacts' | 'clientSecrets'>;
};

/** Creates the sources of the export of an account's data. */
export function createExportSources({
  storage,
  derived,
  now,
}: ExportDeps): Pick<AccountsOptions, 'identities' | 'clients' | 'connections' | 'records'> {
  const { artifacts, clients, audit: records } = storage;
  const sealer = derived.artifacts;
  return {
    identities: storage.identities,
    clients: assembleClients({ storage, derived, now }),
    records,
    connections: createConnectedApplications({
      artifacts,
      consents: createRememberedConsents({ artifacts, clients, sealer, now }),
      records,
      // Nothing is revoked here.
      audit: { record: async () => undefined },
      sealer,
      now,
    }),
  };
}
