import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type {
  AccessToken,
  Client,
  ClientCredentials,
  Configuration,
  FindAccount,
  KoaContextWithOIDC,
  RefreshToken,
} from 'oidc-provider';
import type { AccountStore } from '../../accounts/account/account-store.ts';
import { isSignInStillValid } from '../../accounts/account/credential-epoch.ts';
import { openPayload } from '../../artifacts/artifact-payload.ts';
import { findCredentialEpoch } from '../../artifacts/credential-epochs.ts';
import type { Sealer } from '../../keys/sealing.ts';
import { isResourceServer } from '../clients/client-metadata.ts';
import { sendOAuthError } from '../responses/oauth-error.ts';
import type { FindIssuedAccessToken, IssuedAccessToken, IssuedClaims } from './issued-access-tokens.ts';
import { isRejectedJwt } from './revocation.ts';

interface IntrospectedAccessTokensOptions {
  apiAudience: string;
  accounts: Pick<AccountStore, 'find'>;
  sealer: Sealer;
  findIssued: FindIssuedAccessToken;
}

/** Introspection response (RFC 7662 §2.2). */
type Introspection = { active: false } | ({ active: true; token_type: string } & IssuedClaims);

/** RFC 7662 §2.1: otherwise anyone could scan for tokens with the `client_id` of a public client. */
const unauthenticatedError = {
  status: 401,
  error: 'invalid_client',
  description: 'introspection requires client authentication',
};

const SIGNED = 'application/token-introspection+jwt';

/**
 * Creates middleware that introspects access tokens for the API, which are JWTs that oidc-provider rejects. It runs
 * after oidc-provider, which has then authenticated the client. A client may introspect its own tokens, and a resource
 * server those issued for it (RFC 7662 §2.1, §4).
 */
export function introspectAccessTokens(options: IntrospectedAccessTokensOptions) {
  /** Whether the sign-in behind a user's token is still valid. */
  async function isSignInValid({ claims, grant }: IssuedAccessToken): Promise<boolean> {
    const account = await options.accounts.find(claims.sub);
    return (
      grant !== undefined &&
      isSignInStillValid(account, findCredentialEpoch(openPayload(options.sealer, grant)))
    );
  }

  async function isTokenValid(ctx: KoaContextWithOIDC, issued: IssuedAccessToken): Promise<boolean> {
    const { sub, client_id } = issued.claims;
    if (!(await ctx.oidc.provider.Client.find(client_id))) return false;
    return sub === client_id || isSignInValid(issued);
  }

  async function introspect(ctx: KoaContextWithOIDC, caller: Client): Promise<Introspection> {
    const issued = await options.findIssued(String(ctx.oidc.params?.token));
    if (!issued || !canIntrospect(caller, issued.claims) || !(await isTokenValid(ctx, issued)))
      return { active: false };
    const { claims } = issued;
    return { active: true, token_type: claims.cnf?.jkt === undefined ? 'Bearer' : 'DPoP', ...claims };
  }

  function canIntrospect(caller: Client, { aud, client_id }: IssuedClaims): boolean {
    return client_id === caller.clientId || (isResourceServer(caller) && aud === options.apiAudience);
  }

  return (provider: Provider): Middleware =>
    async function introspectJwt(koaContext, next) {
      await next();
      const ctx = koaContext as KoaContextWithOIDC;
      const caller = ctx.oidc?.client;
      if (caller?.clientAuthMethod === 'none') return sendOAuthError(koaContext, unauthenticatedError);
      if (!caller || !isRejectedJwt(ctx.body)) return;
      const answer = await introspect(ctx, caller);
      ctx.status = 200;
      ctx.state.errorCode = undefined;
      ctx.body = answer;
      if (ctx.accepts('json', SIGNED) !== SIGNED) return;
      // RFC 9701 §5
      const signed = new provider.IdToken({}, { ctx });
      signed.set('token_introspection', answer);
      ctx.body = await signed.issue({ use: 'introspection' });
      ctx.type = SIGNED;
    };
}

type Token = AccessToken | ClientCredentials | RefreshToken;

/**
 * Restricts introspection to a client's own tokens (RFC 7662 §2.1, §4). `introspectAccessTokens` handles access tokens
 * for the API. Responses are signed on request (RFC 9701).
 */
export function createIntrospection(findAccount: FindAccount) {
  /** Whether a token of this server is valid. oidc-provider checks the grant of a token, but not its account. */
  async function isValidOwnToken(ctx: KoaContextWithOIDC, client: Client, token: Token): Promise<boolean> {
    if (!isOwnToken(ctx, client, token)) return false;
    return !('accountId' in token) || (await findAccount(ctx, token.accountId, token)) !== undefined;
  }

  return {
    introspection: { enabled: true, allowedPolicy: isValidOwnToken },
    jwtIntrospection: { enabled: true },
    // RFC 7009 §2.1. The response is the same in either case and does not reveal whether the token exists (§2.2).
    revocation: { enabled: true, allowedPolicy: isOwnToken },
  } satisfies Configuration['features'];
}

function isOwnToken(_ctx: unknown, client: Client, token: Token): boolean {
  return token.clientId === client.clientId;
}
