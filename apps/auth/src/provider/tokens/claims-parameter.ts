import { JsonTextError, parseJson } from '@keydesk/server';
import {
  type ClaimsParameter,
  type Client,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { claimsByScope } from '../../accounts/account/account.ts';
import { acrValues } from '../../accounts/account/authentication.ts';
import { scopesOf } from '../clients/client-metadata.ts';
import { readAcrClaim } from './requested-acr.ts';

/** All standard claims by name need 700 characters. Longer values could be nested too deep to serialize as JSON. */
const MAX_LENGTH = 4_096;

/**
 * Requests for individual claims (OpenID Connect Core §5.5), limited to the scopes that the client is registered for.
 */
export const claimsParameter = {
  enabled: true,
  assertClaimsParameter({ oidc }: KoaContextWithOIDC, claims: ClaimsParameter, client: Client): void {
    const { params } = oidc;
    if (String(params?.claims).length > MAX_LENGTH)
      throw new errors.InvalidRequest(`claims parameter has more than ${MAX_LENGTH} characters`);
    requireStrictJson(params?.claims);
    assertSupportedAcr(claims);
    const omitted = unregisteredClaimsOf(client);
    if (params) params.claims = JSON.stringify(omitClaims(claims, omitted));
  },
} satisfies NonNullable<Configuration['features']>['claimsParameter'];

function requireStrictJson(text: unknown): void {
  try {
    parseJson(String(text));
  } catch (err) {
    throw err instanceof JsonTextError ? new errors.InvalidRequest(`claims parameter ${err.message}`) : err;
  }
}

/** Rejects an essential `acr` of which no value is offered (§5.5.1.1): no sign-in could satisfy it. */
function assertSupportedAcr({ id_token }: ClaimsParameter): void {
  const { values, isEssential } = readAcrClaim(id_token?.acr);
  const isOffered = values.some((each) => acrValues.some((acr) => acr === each));
  if (isEssential && values.length > 0 && !isOffered)
    throw new errors.UnmetAuthenticationRequirements('requested ACR cannot be obtained');
}

function unregisteredClaimsOf(client: Client): readonly string[] {
  const registered = scopesOf(client);
  return Object.entries(claimsByScope).flatMap(([scope, names]) => (registered.includes(scope) ? [] : names));
}

/** Removes the claims that the client may not request. They are omitted rather than rejected (§5.5.1). */
function omitClaims(claims: ClaimsParameter, omitted: readonly string[]): object {
  const targets = Object.entries(claims).map(([target, requested]) => [
    target,
    Object.fromEntries(Object.entries(Object(requested)).filter(([name]) => !omitted.includes(name))),
  ]);
  return Object.fromEntries(targets);
}
