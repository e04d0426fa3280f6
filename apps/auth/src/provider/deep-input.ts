import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { decodeParts } from './tokens/read-jwt.ts';

/** Far more than any JWT needs, and far less than would overflow the stack. */
const MAX_BRACKETS = 1_000;

/**
 * Returns the client error behind a stack overflow, if there is one. oidc-provider copies the claims of request objects
 * and client assertions recursively at any depth, sometimes before it verifies the signature. An overflow without such
 * input remains a server error.
 */
export function findDeepInputFault(ctx: KoaContextWithOIDC, err: unknown): errors.InvalidRequest | undefined {
  if (!(err instanceof RangeError) || !parametersOf(ctx).some(isDeepJwt)) return undefined;
  return new errors.InvalidRequest('a JWT parameter is nested too deep; flatten its claims');
}

/** Returns the parameters as sent; oidc-provider may have replaced some by now. */
function parametersOf({ query, oidc }: KoaContextWithOIDC): readonly unknown[] {
  return Object.values({ ...query, ...oidc.body });
}

function isDeepJwt(parameter: unknown): boolean {
  const texts = typeof parameter === 'string' ? decodeParts(parameter) : [];
  return texts.some((text) => countBrackets(text) > MAX_BRACKETS);
}

function countBrackets(json: string): number {
  return json.match(/[[{]/g)?.length ?? 0;
}
