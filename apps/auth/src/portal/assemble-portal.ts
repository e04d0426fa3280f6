import { createRateLimiter, type RedisConnection } from '@keydesk/rate-limit';
import type { Context } from 'koa';
import type { PageParts } from '../account-pages/page-parts.ts';
import { signedInOf } from '../account-pages/signed-in.ts';
import type { Audit } from '../audit/audit.ts';
import { withClientAudit } from '../audit/client-audit.ts';
import { assembleClients } from '../clients/assemble-clients.ts';
import type { DerivedKeys } from '../keys/derived-keys.ts';
import type { People } from '../people.ts';
import type { Storage } from '../storage/storage.ts';
import { toServerAddresses } from './application-views.ts';
import { createApplications } from './applications.ts';
import { type RequestLimits, withRequestLimits } from './limited-requests.ts';
import type { PortalOptions } from './portal-options.ts';
import type { PortalConfig } from './settings.ts';

export interface PortalDeps {
  config: PortalConfig & { issuer: string; apiAudience: string };
  storage: Pick<Storage, 'clients' | 'artifacts'>;
  derived: Pick<DerivedKeys, 'clientSecrets'>;
  audit: Pick<Audit, 'record'>;
  parts: PageParts;
  people: Pick<People, 'trustMails' | 'background'>;
  redis?: RedisConnection | undefined;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

const REQUESTS_PER_DAY = 10;
const ONE_DAY_SECONDS = 86_400;

/** The portal's pages, with the clients of the server behind them. */
export function assemblePortal(deps: PortalDeps): PortalOptions {
  const { config, storage, derived, audit, parts, clock } = deps;
  const limit = config.maxApplicationsPerAccount;
  const clients = assembleClients({ storage, derived, clock });

  const perAccount = createRateLimiter({
    redis: deps.redis,
    keyPrefix: 'auth:trust-requests',
    points: REQUESTS_PER_DAY,
    durationSeconds: ONE_DAY_SECONDS,
  });
  const { background, trustMails } = deps.people;
  const onRequested: RequestLimits['onRequested'] = (client, request) =>
    background.run(() => trustMails.mailOperator(client, request));

  function applicationsOf(ctx: Context) {
    const { id } = signedInOf(ctx).account;
    const author = { actor: id, accountId: id, address: ctx.ip, requestId: ctx.state.requestId ?? null };
    const audited = withClientAudit(clients, { audit, author, clock });
    return createApplications(withRequestLimits(audited, { accountId: id, perAccount, onRequested }), {
      id,
      limit,
    });
  }

  return { parts, applicationsOf, limit, server: toServerAddresses(config), clock };
}
