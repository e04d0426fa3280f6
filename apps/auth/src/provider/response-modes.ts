import type Provider from 'oidc-provider';
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { ResponsePages } from './response-pages.ts';

/** Sends an authorization response to a redirect URI. */
type Respond = Parameters<Provider['registerResponseMode']>[1];

/** Replaces what the library would do for a response mode. */
export type AdaptResponseMode = (mode: string, respond: Respond) => Respond;

/** What codes come by; the first is the default. */
export const offeredResponseModes = ['query', 'form_post'] as const;

/**
 * Refuses codes in a fragment (RFC 6749 §4.1.2). Types with a token are let through, for the library to refuse them next,
 * by their own name and in the fragment, where those who ask for one look (§4.2.2.1); it looks at the mode before the type.
 */
export function limitResponseModes(provider: Provider): void {
  const allowed: Client['responseModeAllowed'] = (mode, type) =>
    // Without a type there is no mode, and the library says next what is missing.
    mode === undefined || offeredResponseModes.some((each) => each === mode) || type?.includes('token');
  provider.Client.prototype.responseModeAllowed = allowed;
}

/**
 * Puts our page in place of the library's for `form_post`, and before each error a page that asks where the error would
 * lead a person who has not signed in to an application that nobody vouches for.
 */
export function createResponseModes(pages: ResponsePages): AdaptResponseMode {
  return (mode, respondByLibrary) => {
    const redirect = mode === 'form_post' ? redirectWithQuery : respondByLibrary;

    return async function respond(ctx, redirectUri, response) {
      const isHeld = 'error' in response && (await pages.mustAsk(ctx));
      const fields = toFields(response);
      const isPosted = mode === 'form_post' && isPostable(redirectUri);
      if (isPosted && !isHeld) return pages.post(ctx, { action: redirectUri, fields });
      if (!isPosted) await redirect(ctx, redirectUri, response);
      if (isHeld) pages.ask(ctx, { redirectUri, response: fields, isPosted });
    };
  };
}

/**
 * Refuses `form_post` where a browser cannot post to the redirect URI, as with private-use schemes (RFC 8252 §7.1).
 *
 * @throws {errors.InvalidRequest} to be sent to the client by a redirect
 */
export function requirePostableRedirectUri({ oidc }: KoaContextWithOIDC, mode: string | undefined): void {
  const { params } = oidc;
  if (mode !== 'form_post' || params === undefined || params.redirect_uri === undefined) return;
  if (isPostable(String(params.redirect_uri))) return;
  params.response_mode = undefined;
  throw new errors.InvalidRequest(
    'response_mode form_post requires an http or https redirect_uri; use query',
  );
}

export function withQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Errors of a `form_post` request that come before its redirect URI was found to be none that can be posted to. */
function redirectWithQuery(...[ctx, redirectUri, response]: Parameters<Respond>): void {
  ctx.status = 303;
  ctx.redirect(withQuery(redirectUri, toFields(response)));
}

function isPostable(uri: string): boolean {
  return ['https:', 'http:'].includes(new URL(uri).protocol);
}

function toFields(response: Parameters<Respond>[2]): Record<string, string> {
  return Object.fromEntries(Object.entries(response).map(([name, value]) => [name, String(value)]));
}
