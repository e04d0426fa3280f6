import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { Client, FindAccount, KoaContextWithOIDC } from 'oidc-provider';
import { isResourceServer } from './client-metadata.ts';
import type { FindIssuedAccessToken, IssuedClaims } from './issued-access-tokens.ts';
import { answerOAuthError } from './oauth-error.ts';

export interface IntrospectedAccessTokensOptions {
  apiAudience: string;
  findAccount: FindAccount;
  findIssued: FindIssuedAccessToken;
}

/** An answer about a token (RFC 7662 §2.2). */
type Introspection = { active: false } | ({ active: true; token_type: string } & IssuedClaims);

/** RFC 7662 §2.1: whose `client_id` anybody can send could otherwise be used to scan for tokens. */
const proofMissing = {
  status: 401,
  error: 'invalid_client',
  description: 'clients that do not authenticate are told of no tokens',
};

const SIGNED = 'application/token-introspection+jwt';

/**
 * Answers about access tokens for the API, which are JWTs and which the library refuses to look at. It is asked once
 * the library has, so that it has found out who asks; they are told of their own tokens, and a resource server of those
 * that are for it (RFC 7662 §2.1, §4).
 */
export function introspectAccessTokens(options: IntrospectedAccessTokensOptions) {
  async function isInUse(ctx: KoaContextWithOIDC, claims: IssuedClaims): Promise<boolean> {
    const { sub, client_id, iat } = claims;
    if (!(await ctx.oidc.provider.Client.find(client_id))) return false;
    // Whoever was disabled, or got another password since, is not found.
    const token = { authTime: iat } as Parameters<FindAccount>[2];
    return sub === client_id || (await options.findAccount(ctx, sub, token)) !== undefined;
  }

  async function introspect(ctx: KoaContextWithOIDC, asking: Client): Promise<Introspection> {
    const { claims } = (await options.findIssued(String(ctx.oidc.params?.token))) ?? {};
    if (!claims || !mayKnow(asking, claims) || !(await isInUse(ctx, claims))) return { active: false };
    return { active: true, token_type: claims.cnf?.jkt === undefined ? 'Bearer' : 'DPoP', ...claims };
  }

  function mayKnow(asking: Client, { aud, client_id }: IssuedClaims): boolean {
    return client_id === asking.clientId || (isResourceServer(asking) && aud === options.apiAudience);
  }

  return (provider: Provider): Middleware =>
    async function answerAboutAccessTokens(koaContext, next) {
      await next();
      const ctx = koaContext as KoaContextWithOIDC;
      const asking = ctx.oidc?.client;
      if (asking?.clientAuthMethod === 'none') return answerOAuthError(koaContext, proofMissing);
      if (!asking || !isRefusalOfJwt(ctx.body)) return;
      const answer = await introspect(ctx, asking);
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

function isRefusalOfJwt(body: unknown): boolean {
  return Object(body).error === 'unsupported_token_type';
}
