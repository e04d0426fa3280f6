import { randomBytes } from 'node:crypto';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { setPageHeaders } from '../interactions/page-headers.ts';
import { presentationOf } from '../interactions/presentation.ts';
import type { Pages } from '../pages/pages.ts';
import type { PostedResponse } from '../pages/views/response.ts';

/** The pages between an authorization response and the application. */
export interface ResponsePages {
  /** Posts a response by a script, or by its button (OAuth 2.0 Form Post Response Mode §2). */
  post(ctx: KoaContextWithOIDC, response: PostedResponse): void;
}

const NONCE_BYTES = 16;

export function createResponsePages({ pages }: { pages: Pages }): ResponsePages {
  return {
    post(ctx, response) {
      ctx.status = statusOf(response.fields);
      const nonce = randomBytes(NONCE_BYTES).toString('base64');
      setPageHeaders(ctx, { redirectUri: response.action, nonce });
      const view = { application: applicationOf(ctx), response, nonce };
      ctx.body = pages.renderFormPost(view, presentationOf(ctx, ctx.oidc.params?.ui_locales));
    },
  };
}

function statusOf({ error }: PostedResponse['fields']): number {
  if (error === undefined) return 200;
  return error === 'server_error' ? 500 : 400;
}

function applicationOf({ oidc: { client } }: KoaContextWithOIDC): { name: string } {
  return { name: client?.clientName ?? client?.clientId ?? '' };
}
