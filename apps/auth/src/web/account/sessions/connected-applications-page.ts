import type Router from '@koa/router';
import type { Context } from 'koa';
import type Provider from 'oidc-provider';
import type { ClientStore } from '../../../clients/client-store.ts';
import { toLogoPath } from '../../../clients/logo/client-logo.ts';
import type { ConnectedApplication } from '../../../pages/views/account.ts';
import { isDocumentId } from '../../../provider/clients/client-documents.ts';
import type { Connection } from '../../../provider/grants/connected-applications.ts';
import { notifyOfLogOut } from '../../../provider/log-out/end-session.ts';
import { paths } from '../../kit/account-paths.ts';
import { originOf } from '../../kit/origin.ts';
import { getSignedInUser, requireSignedIn } from '../../kit/signed-in.ts';
import type { AccountPagesOptions } from '../profile/account-pages-options.ts';

/** Adds the page that lists applications with access to the account and revokes it. */
export function addConnectedApplicationsPage(
  router: Router,
  provider: Provider,
  { parts, clients, connections, sessions }: AccountPagesOptions,
): void {
  const signedIn = requireSignedIn(provider, parts);

  async function toApplication(connection: Connection): Promise<ConnectedApplication | undefined> {
    const { clientId: id, scopes, since, lastUsedAt } = connection;
    const registered = await clients.find(id);
    const client = registered ?? toDocumentClient(id);
    if (!client) return undefined;
    const owner = client.owner === null ? undefined : await parts.accounts.find(client.owner);
    return {
      id,
      name: client.name,
      logo: registered && toLogoPath(registered),
      owner: owner && (owner.profile.name ?? owner.email),
      homePage: client.homePage ?? undefined,
      isVerified: client.isVerified,
      scopes,
      since,
      lastUsedAt,
      revokeAction: `${paths.connectedApplications}/${encodeURIComponent(id)}/revoke`,
    };
  }

  async function show(ctx: Context): Promise<void> {
    const found = await connections.list(getSignedInUser(ctx).account);
    const applications = await Promise.all(found.map(toApplication));
    parts.render(ctx, parts.pages.renderConnectedApplications, {
      shell: parts.shellOf(ctx),
      csrf: parts.forms.tokenFor(ctx),
      applications: applications.filter((each) => each !== undefined),
      notice: parts.flash.take(ctx),
    });
  }

  router.get(paths.connectedApplications, signedIn, show);

  router.post(
    `${paths.connectedApplications}/:clientId/revoke`,
    signedIn,
    async function revokeApplication(ctx) {
      await parts.forms.read(ctx);
      const { clientId = '' } = ctx.params;
      const consent = { accountId: getSignedInUser(ctx).account.id, clientId };
      const known = await sessions.find(consent.accountId);
      // Before the revocation, so that clients are notified even if it is interrupted.
      await notifyOfLogOut(
        provider,
        consent.accountId,
        known.filter((session) => session.clientId === clientId),
      );
      await connections.revoke(consent, originOf(ctx));
      const application = (await findNamedClient(clients, clientId))?.name;
      if (application) parts.flash.set(ctx, { code: 'application_revoked', values: { application } });
      parts.redirect(ctx, paths.connectedApplications);
    },
  );
}

/** Finds the name of a registered client, or of one with a metadata document. */
export async function findNamedClient(
  clients: Pick<ClientStore, 'find'>,
  clientId: string,
): Promise<{ name: string } | undefined> {
  return (await clients.find(clientId)) ?? toDocumentClient(clientId);
}

/** Returns the only verified facts about a client with a metadata document: the host and URL of the document. */
function toDocumentClient(clientId: string) {
  if (!isDocumentId(clientId)) return undefined;
  return { name: new URL(clientId).host, homePage: clientId, owner: null, isVerified: false };
}
