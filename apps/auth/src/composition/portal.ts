import { createRateLimiter } from '@keydesk/rate-limit';
import type { Context } from 'koa';
import { v7 as uuidv7 } from 'uuid';
import { withClientAudit } from '../audit/client-audit.ts';
import type { Clients } from '../clients/clients.ts';
import {
  createApplications,
  type RequireAccess,
  requireShared,
  withRequestLimits,
} from '../web/developer/portal/applications.ts';
import { createInvitations } from '../web/developer/portal/invitations.ts';
import type { PortalOptions } from '../web/developer/portal/portal-options.ts';
import { toServerUrls } from '../web/developer/views/application-views.ts';
import type { PageParts } from '../web/kit/page-parts.ts';
import { getSignedInUser } from '../web/kit/signed-in.ts';
import type { AccountServices } from './accounts.ts';
import { assembleClients } from './clients.ts';
import type { SharedDeps } from './shared-deps.ts';

export interface PortalParts {
  parts: PageParts;
  accounts: Pick<AccountServices, 'trustMails' | 'ownerMails' | 'mailLimits' | 'deferred' | 'background'>;
}

const REQUESTS_PER_DAY = 10;
const INVITATIONS_PER_DAY = 20;
const ONE_DAY_SECONDS = 86_400;

/** Creates the dependencies of the developer portal's pages. */
export function createPortal(shared: SharedDeps, { parts, accounts }: PortalParts): PortalOptions {
  const { config, now } = shared;
  const limit = config.maxApplicationsPerAccount;
  const openClients = createOpenClients(shared, accounts);
  const invitationsPerAccount = createDailyLimit(shared, 'auth:invitations', INVITATIONS_PER_DAY);
  const { ownerMails, mailLimits, deferred, background } = accounts;

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
        now,
        newId: uuidv7,
      });
    },
    limit,
    server: toServerUrls(config),
    now,
  };
}

/** Opens the clients for the signed-in user, with rate limits and audit records. */
function createOpenClients(
  shared: SharedDeps,
  { background, trustMails }: PortalParts['accounts'],
): (ctx: Context, requireAccess?: RequireAccess) => Clients {
  const { storage, derived, audit, now } = shared;
  const perAccount = createDailyLimit(shared, 'auth:trust-requests', REQUESTS_PER_DAY);
  return function openClients(ctx, requireAccess) {
    const accountId = getSignedInUser(ctx).account.id;
    const author = { actor: accountId, accountId, address: ctx.ip, requestId: ctx.state.requestId ?? null };
    const clients = assembleClients({ storage, derived, now, requireAccess });
    return withRequestLimits(withClientAudit(clients, { audit, author, now }), {
      accountId,
      perAccount,
      onRequested: (...requested) => background.run(() => trustMails.mailOperator(...requested)),
    });
  };
}

function createDailyLimit({ redis }: SharedDeps, keyPrefix: string, points: number) {
  return createRateLimiter({ redis, keyPrefix, points, durationSeconds: ONE_DAY_SECONDS });
}
