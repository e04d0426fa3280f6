import { randomBytes } from 'node:crypto';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AccountStore } from '../../accounts/account/account-store.ts';
import type { Pages } from '../../pages/pages.ts';
import type { LeaveView } from '../../pages/views/response.ts';
import { createAccountFinder } from '../../provider/account-finder.ts';
import { isVouchedFor } from '../../provider/clients/client-metadata.ts';
import type { RedirectTarget, ResponsePages } from '../../provider/provider-pages.ts';
import { routes } from '../../provider/routes.ts';
import { setPageHeaders } from '../kit/page-headers.ts';
import { presentationOf } from '../kit/presentation.ts';

export interface ResponsePagesOptions {
  pages: Pages;
  accounts: Pick<AccountStore, 'find'>;
  /** Whether every error redirects, as the conformance suite expects. */
  isConformanceProfile: boolean;
}

const NONCE_BYTES = 16;

export function createResponsePages(options: ResponsePagesOptions): ResponsePages {
  const { pages, isConformanceProfile } = options;
  const findAccount = createAccountFinder(options.accounts);

  async function isSignedIn(ctx: KoaContextWithOIDC): Promise<boolean> {
    const { accountId } = ctx.oidc.session ?? {};
    return accountId !== undefined && (await findAccount(ctx, accountId)) !== undefined;
  }

  return {
    post(ctx, { redirectUri, response, fields }) {
      ctx.status = statusOf(response);
      const nonce = randomBytes(NONCE_BYTES).toString('base64');
      setPageHeaders(ctx, { redirectUri, nonce });
      const view = { application: applicationOf(ctx), response: { action: redirectUri, fields }, nonce };
      ctx.body = pages.renderFormPost(view, presentationOf(ctx, ctx.oidc.params?.ui_locales));
    },
    async mustConfirm(ctx) {
      const { client, params } = ctx.oidc;
      if (isConformanceProfile || params?.prompt === 'none') return false;
      return !(client && isVouchedFor(client)) && !(await isSignedIn(ctx));
    },
    confirm(ctx, { redirectUri, response, fields }) {
      const goOn = fields ? { action: redirectUri, fields } : { href: takeRedirect(ctx) };
      const reason = reasonOf(ctx, response);
      ctx.status = reason === 'cancelled' ? 200 : statusOf(response);
      ctx.state.errorCode = response?.error;
      setPageHeaders(ctx, fields ? { redirectUri } : {});
      const view: LeaveView = {
        application: applicationOf(ctx),
        reason,
        destination: redirectUri,
        goOn,
        oauth: response && { error: response.error ?? '', description: response.error_description },
        links: { stay: response ? '/account' : routes.endSessionSuccess },
      };
      ctx.body = pages.renderLeave(view, presentationOf(ctx, ctx.oidc.params?.ui_locales));
    },
  };
}

/** Removes the redirect that was just written, and returns its target. */
function takeRedirect(ctx: KoaContextWithOIDC): string {
  const target = ctx.response.get('Location');
  ctx.remove('Location');
  return target;
}

function statusOf(response: RedirectTarget['response'] = {}): number {
  if (response.error === undefined) return 200;
  return response.error === 'server_error' ? 500 : 400;
}

function reasonOf({ oidc }: KoaContextWithOIDC, response: RedirectTarget['response']): LeaveView['reason'] {
  if (response === undefined) return 'signed_out';
  if (response.error === 'server_error') return 'failed';
  return oidc.route === 'resume' && response.error === 'access_denied' ? 'cancelled' : 'request_refused';
}

function applicationOf({ oidc: { client } }: KoaContextWithOIDC): { name: string } {
  return { name: client?.clientName ?? client?.clientId ?? '' };
}
