import { createRateLimiter, type RedisConnection } from '@keydesk/rate-limit';
import type { Context } from 'koa';
import { v7 as uuidv7 } from 'uuid';
import type { Audit } from '../audit/audit.ts';
import { withClientAudit } from '../audit/client-audit.ts';
import type { Clients } from '../clients/clients.ts';
import type { DerivedKeys } from '../keys/derived-keys.ts';
import type { Storage } from '../storage/storage.ts';
import { toServerUrls } from '../web/developer/application-views.ts';
import { createApplications, type RequireAccess, requireShared } from '../web/developer/applications.ts';
import { createInvitations } from '../web/developer/invitations.ts';
import type { PortalOptions } from '../web/developer/portal-options.ts';
import { withRequestLimits } from '../web/developer/request-limits.ts';
import type { PortalConfig } from '../web/developer/settings.ts';
import type { PageParts } from '../web/kit/page-parts.ts';
import { getSignedInUser } from '../web/kit/signed-in.ts';
import type { AccountServices } from './account-services.ts';
import { assembleClients } from './assemble-clients.ts';

export interface PortalDeps {
  config: PortalConfig & { issuer: string; apiAudience: string; invitationLinkTtlSeconds: number };
  storage: Pick<Storage, 'clients' | 'artifacts'>;
  derived: Pick<DerivedKeys, 'clientSecrets'>;
  audit: Pick<Audit, 'record'>;
  parts: PageParts;
  accountServices: Pick<
    AccountServices,
    'trustMails' | 'ownerMails' | 'mailLimits' | 'deferred' | 'background'
  >;
  redis?: RedisConnection | undefined;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

const REQUESTS_PER_DAY = 10;
const INVITATIONS_PER_DAY = 20;
const ONE_DAY_SECONDS = 86_400;

/** Assembles the dependencies of the developer portal's pages. */
export function assemblePortal(deps: PortalDeps): PortalOptions {
  const { config, parts, clock } = deps;
  const limit = config.maxApplicationsPerAccount;
  const openClients = createOpenClients(deps);
  const invitationsPerAccount = createDailyLimit(deps, 'auth:invitations', INVITATIONS_PER_DAY);
  const { ownerMails, mailLimits, deferred, background } = deps.accountServices;

  return {
    parts,
    applicationsOf: (ctx) =>
      createApplications({
        openClients: (requireAccess) => openClients(ctx, requireAccess),
        owner: { id: getSignedInUser(ctx).account.id, limit },
        onRemoved: (...removed) => background.run(() => ownerMails.mailRemoved(...removed)),
        onHandedOver: (client) => background.run(() => ownerMails.mailHandedOver(client)),
      }),
    invitationsOf(ctx) {
      const { account } = getSignedInUser(ctx);
      return createInvitations({
        shared: openClients(ctx, requireShared(account.id)),
        clients: openClients(ctx),
        accounts: parts.accounts,
        ownerMails,
        mailLimits,
        deferred,
        background,
        perAccount: invitationsPerAccount,
        account,
        address: ctx.ip,
        ttlSeconds: config.invitationLinkTtlSeconds,
        clock,
        newId: uuidv7,
      });
    },
    limit,
    server: toServerUrls(config),
    clock,
  };
}

/** Opens the clients for the signed-in user, with rate limits and audit records. */
function createOpenClients(deps: PortalDeps): (ctx: Context, requireAccess?: RequireAccess) => Clients {
  const { storage, derived, audit, clock, accountServices } = deps;
  const perAccount = createDailyLimit(deps, 'auth:trust-requests', REQUESTS_PER_DAY);
  return function openClients(ctx, requireAccess) {
    const accountId = getSignedInUser(ctx).account.id;
    const author = { actor: accountId, accountId, address: ctx.ip, requestId: ctx.state.requestId ?? null };
    const clients = assembleClients({ storage, derived, clock, requireAccess });
    return withRequestLimits(withClientAudit(clients, { audit, author, clock }), {
      accountId,
      perAccount,
      onRequested: (...requested) =>
        accountServices.background.run(() => accountServices.trustMails.mailOperator(...requested)),
    });
  };
}

function createDailyLimit({ redis }: PortalDeps, keyPrefix: string, points: number) {
  return createRateLimiter({ redis, keyPrefix, points, durationSeconds: ONE_DAY_SECONDS });
}
