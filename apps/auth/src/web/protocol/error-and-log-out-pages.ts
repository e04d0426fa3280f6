import { AppError, toErrorHeaders } from '@keydesk/server';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AccountStore } from '../../accounts/account/account-store.ts';
import type { Pages } from '../../pages/pages.ts';
import { isDocumentId } from '../../provider/clients/client-documents.ts';
import { logoOf } from '../../provider/clients/client-metadata.ts';
import { findDeepInputFault } from '../../provider/deep-input.ts';
import { isPageRoute, type ProviderPages } from '../../provider/provider-pages.ts';
import type { FindErrorActions, RequestingApplication } from '../kit/error-pages.ts';
import { statusOf, toErrorView } from '../kit/error-pages.ts';
import { asString } from '../kit/interaction.ts';
import { setPageHeaders } from '../kit/page-headers.ts';
import { presentationOf } from '../kit/presentation.ts';
import type { LogOutOffers } from '../upstream/log-out-offers.ts';
import { createDevicePages } from './device-pages.ts';

/** Longer values would dominate the page. */
const MAX_SHOWN_LENGTH = 500;

/** Returns the request parameters that developers need first to find a fault. */
function requestDetailsOf({ oidc }: KoaContextWithOIDC) {
  const { client_id, redirect_uri } = oidc.params ?? {};
  const [clientId, redirectUri] = [client_id, redirect_uri].map((sent) =>
    asString(sent)?.slice(0, MAX_SHOWN_LENGTH),
  );
  return { clientId, redirectUri };
}

/** Returns the application to link to. The home page of a client by a document is unverified. */
function applicationOf({ oidc: { client } }: KoaContextWithOIDC): RequestingApplication | undefined {
  if (!client || isDocumentId(client.clientId)) return undefined;
  return { name: client.clientName ?? client.clientId, homePage: client.clientUri };
}

export interface ProviderPagesOptions {
  pages: Pages;
  accounts: Pick<AccountStore, 'find'>;
  findErrorActions: FindErrorActions;
  logOutOffers: Pick<LogOutOffers, 'take'>;
}

export function createProviderPages({
  pages,
  accounts,
  findErrorActions,
  logOutOffers,
}: ProviderPagesOptions): ProviderPages {
  return {
    device: createDevicePages(pages, findErrorActions),
    async renderError(ctx, failed, failure) {
      const fault = findDeepInputFault(ctx, failure);
      const err = fault ?? failure;
      const out = fault ?? failed;
      ctx.status = statusOf(err);
      ctx.state.errorCode = out.error;
      if (err instanceof AppError) ctx.set(toErrorHeaders(err));
      if (!isPageRoute(ctx) || ctx.accepts('html', 'json') !== 'html') {
        ctx.body = { error: out.error, error_description: out.error_description };
        return;
      }
      setPageHeaders(ctx);
      const oauth = { error: out.error, description: out.error_description, ...requestDetailsOf(ctx) };
      const view = toErrorView(err, ctx.state.requestId, oauth);
      const actions = await findErrorActions(ctx, view.variant, applicationOf(ctx));
      ctx.body = pages.renderError({ ...view, actions }, presentationOf(ctx));
    },
    async renderSignOut(ctx) {
      const { session, client, params } = ctx.oidc;
      const account = await accounts.find(session?.accountId ?? '');
      setPageHeaders(ctx, { redirectUri: asString(params?.post_logout_redirect_uri) });
      const view = {
        form: { action: '/session/end/confirm', xsrf: session?.state?.secret as string },
        account: { email: account?.email ?? '' },
        application: client && { name: client.clientName ?? client.clientId, logo: logoOf(client) },
      };
      ctx.body = pages.renderSignOut(view, presentationOf(ctx, params?.ui_locales));
    },
    async renderSignedOut(ctx) {
      const { accountId } = await ctx.oidc.provider.Session.get(ctx);
      // A user who cancelled the sign-out arrives here as well.
      if (accountId !== undefined) return ctx.redirect('/account');
      setPageHeaders(ctx);
      const view = { links: { signIn: '/sign-in' }, upstream: logOutOffers.take(ctx) };
      ctx.body = pages.renderSignedOut(view, presentationOf(ctx));
    },
  };
}
