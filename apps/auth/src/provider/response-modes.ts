import type Provider from 'oidc-provider';
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { ResponsePages } from './response-pages.ts';

/** Sends an authorization response to a redirect URI. */
type Respond = Parameters<Provider['registerResponseMode']>[1];
type AuthorizationResponse = Parameters<Respond>[2];

/** Replaces what the library would do for a response mode; `undefined` for a mode that is not offered. */
export type AdaptResponseMode = (mode: string, respond: Respond) => Respond | undefined;

/** Response modes of codes; the first is the default. Those with `jwt` sign the response (JARM §2.3). */
export const offeredResponseModes = ['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt'] as const;

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
    if (mode === 'fragment.jwt') return undefined;
    const isSigned = mode.endsWith('jwt');
    const encode = isSigned ? sign : (_: unknown, response: AuthorizationResponse) => toFields(response);
    const redirect = isSigned || isFormPost(mode) ? redirectWithQuery : respondByLibrary;

    return async function respond(ctx, redirectUri, response) {
      const isHeld = 'error' in response && (await pages.mustAsk(ctx));
      const fields = await encode(ctx, response);
      const departure = { redirectUri, response: toFields(response) };
      if (isFormPost(mode) && isPostable(redirectUri))
        return pages[isHeld ? 'ask' : 'post'](ctx, { ...departure, fields });
      await redirect(ctx, redirectUri, fields);
      if (isHeld) pages.ask(ctx, departure);
    };
  };
}

/**
 * Signs a response for its client: `iss`, `aud` and `exp` beside the parameters (JARM §2.1). The library would also write
 * its own page for `form_post.jwt`.
 */
async function sign(
  ctx: KoaContextWithOIDC,
  response: AuthorizationResponse,
): Promise<Record<string, string>> {
  const token = new ctx.oidc.provider.IdToken({}, { ctx });
  for (const [name, value] of Object.entries(response)) token.set(name, value);
  return { response: await token.issue({ use: 'authorization' }) };
}

function isFormPost(mode: string): boolean {
  return mode.startsWith('form_post');
}

/**
 * Refuses form posts where a browser cannot post to the redirect URI, as with private-use schemes (RFC 8252 §7.1).
 *
 * @throws {errors.InvalidRequest} to be sent to the client by a redirect
 */
export function requirePostableRedirectUri({ oidc }: KoaContextWithOIDC, mode: string | undefined): void {
  const { params } = oidc;
  if (!mode || !isFormPost(mode) || params === undefined || params.redirect_uri === undefined) return;
  if (isPostable(String(params.redirect_uri))) return;
  const instead = mode.replace('form_post', 'query');
  params.response_mode = instead;
  throw new errors.InvalidRequest(
    `response_mode ${mode} requires an http or https redirect_uri; use ${instead}`,
  );
}

export function withQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Errors of a `form_post` request that come before its redirect URI was found to be none that can be posted to. */
function redirectWithQuery(...[ctx, redirectUri, parameters]: Parameters<Respond>): void {
  ctx.status = 303;
  ctx.redirect(withQuery(redirectUri, toFields(parameters)));
}

function isPostable(uri: string): boolean {
  return ['https:', 'http:'].includes(new URL(uri).protocol);
}

function toFields(response: AuthorizationResponse): Record<string, string> {
  return Object.fromEntries(Object.entries(response).map(([name, value]) => [name, String(value)]));
}
