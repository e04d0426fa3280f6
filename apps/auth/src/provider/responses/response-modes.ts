import type Provider from 'oidc-provider';
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { ResponsePages } from '../provider-pages.ts';

/** Sends an authorization response to a redirect URI. */
type Respond = Parameters<Provider['registerResponseMode']>[1];
type AuthorizationResponse = Parameters<Respond>[2];

/** Adapts oidc-provider's handling of a response mode; `undefined` for a mode that is not offered. */
export type AdaptResponseMode = (mode: string, respond: Respond) => Respond | undefined;

/** Response modes of codes, the default first. Those with `jwt` sign the response (JARM §2.3). */
export const offeredResponseModes = ['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt'] as const;

/**
 * Rejects codes in a fragment (RFC 6749 §4.1.2). Response types with a token pass, because oidc-provider rejects them
 * next: with the specific error and in the fragment, where their clients look (§4.2.2.1). It checks the mode before the
 * type.
 */
export function limitResponseModes(provider: Provider): void {
  const allowed: Client['responseModeAllowed'] = (mode, type) =>
    // Without a type there is no mode; oidc-provider then reports what is missing.
    mode === undefined || offeredResponseModes.some((each) => each === mode) || type?.includes('token');
  provider.Client.prototype.responseModeAllowed = allowed;
}

/**
 * Creates the adapter for response modes. It replaces oidc-provider's page for `form_post`. Before an error leads a
 * user who is not signed in to an unverified application, a page asks first.
 */
export function createResponseModes(pages: ResponsePages): AdaptResponseMode {
  return (mode, respondByDefault) => {
    if (mode === 'fragment.jwt') return undefined;
    const isSigned = mode.endsWith('jwt');
    const encode = isSigned ? sign : (_: unknown, response: AuthorizationResponse) => toFields(response);
    const redirect = isSigned || isFormPost(mode) ? redirectWithQuery : respondByDefault;

    return async function respond(ctx, redirectUri, response) {
      const isUnconfirmed = 'error' in response && (await pages.mustConfirm(ctx));
      const fields = await encode(ctx, response);
      const target = { redirectUri, response: toFields(response) };
      if (isFormPost(mode) && isPostable(redirectUri))
        return pages[isUnconfirmed ? 'confirm' : 'post'](ctx, { ...target, fields });
      await redirect(ctx, redirectUri, fields);
      if (isUnconfirmed) pages.confirm(ctx, target);
    };
  };
}

/**
 * Signs a response for its client, adding `iss`, `aud` and `exp` (JARM §2.1). oidc-provider would also render its own
 * page for `form_post.jwt`.
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
 * Rejects form posts to a redirect URI that a browser cannot post to, such as a private-use scheme (RFC 8252 §7.1).
 *
 * @throws {errors.InvalidRequest} sent to the client by a redirect
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

/** Redirects an error of a `form_post` request whose redirect URI was not yet known to be unpostable. */
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
