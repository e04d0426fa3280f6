import type { Context } from 'koa';
import type { PageParts } from '../account-pages/page-parts.ts';
import { signedInOf } from '../account-pages/signed-in.ts';
import type { Audit } from '../audit/audit.ts';
import { withClientAudit } from '../audit/client-audit.ts';
import { assembleClients } from '../clients/assemble-clients.ts';
import type { DerivedKeys } from '../keys/derived-keys.ts';
import type { Storage } from '../storage/storage.ts';
import { toServerAddresses } from './application-views.ts';
import { createApplications } from './applications.ts';
import type { PortalOptions } from './portal-options.ts';
import type { PortalConfig } from './settings.ts';

export interface PortalDeps {
  config: PortalConfig & { issuer: string; apiAudience: string };
  storage: Pick<Storage, 'clients' | 'artifacts'>;
  derived: Pick<DerivedKeys, 'clientSecrets'>;
  audit: Pick<Audit, 'record'>;
  parts: PageParts;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/** The portal's pages, with the clients of the server behind them. */
export function assemblePortal({ config, storage, derived, audit, parts, clock }: PortalDeps): PortalOptions {
  const limit = config.maxApplicationsPerAccount;
  const clients = assembleClients({ storage, derived, clock });

  function applicationsOf(ctx: Context) {
    const { id } = signedInOf(ctx).account;
    const author = { actor: id, accountId: id, address: ctx.ip, requestId: ctx.state.requestId ?? null };
    return createApplications(withClientAudit(clients, { audit, author, clock }), { id, limit });
  }

  return { parts, applicationsOf, limit, server: toServerAddresses(config), clock };
}
