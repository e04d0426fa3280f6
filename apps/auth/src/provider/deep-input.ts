import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { decodeParts } from './read-jwt.ts';

/** Far more than any JWT needs, and far less than what it takes to overflow a stack. */
const MAX_BRACKETS = 1_000;

/**
 * What the caller did wrong when the stack overflowed: the library copies the claims of request objects and client
 * assertions by recursion, whatever their depth, and some of them before it looks at the signature. An overflow
 * without such input stays our own failure.
 */
export function deepInputFault(ctx: KoaContextWithOIDC, err: unknown): errors.InvalidRequest | undefined {
  if (!(err instanceof RangeError) || !parametersOf(ctx).some(isDeepJwt)) return undefined;
  return new errors.InvalidRequest('a JWT among the parameters is nested too deep');
}

/** As they were sent: by now the library may have replaced some. */
function parametersOf({ query, oidc }: KoaContextWithOIDC): readonly unknown[] {
  return Object.values({ ...query, ...oidc.body });
}

function isDeepJwt(parameter: unknown): boolean {
  const texts = typeof parameter === 'string' ? decodeParts(parameter) : [];
  return texts.some((text) => bracketsIn(text) > MAX_BRACKETS);
}

function bracketsIn(json: string): number {
  return json.match(/[[{]/g)?.length ?? 0;
}
