import { parseJson } from '@keydesk/server';
import { errors, interactionPolicy, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { type Acr, acrValues, satisfiesAcr } from '../../accounts/account/authentication.ts';

/** Authentication context classes that an authorization request asks for. */
export interface AcrRequest {
  /** Offered classes in the client's order of preference; one of them, or a stronger one, suffices. */
  values: readonly Acr[];
  /**
   * Whether the request must fail otherwise: for the essential claim (OpenID Connect Core §5.5.1.1), and for `acr_values`,
   * because an API would reject the token again (RFC 9470 §5).
   */
  isRequired: boolean;
}

/** Parameters of an authorization request. */
type Params = Readonly<Record<string, unknown>>;

/**
 * Reads the requested classes from the essential claim `acr`, or else from `acr_values` and the voluntary claim.
 * OpenID Connect Core §5.5.1.1 leaves open what a request with both means; here it may not get less than is essential.
 *
 * @returns `undefined` if no offered class is requested: voluntary classes that are not offered are ignored
 */
export function acrRequestOf({ acr_values: list, claims }: Params): AcrRequest | undefined {
  const claim = acrClaimOf(claims);
  const listed = typeof list === 'string' ? list.split(' ') : [];
  const requested = claim.isEssential ? claim.values : [...listed, ...claim.values];
  const values = requested.flatMap(toOffered);
  const isRequired = claim.isEssential || listed.some((each) => toOffered(each).length > 0);
  return values.length > 0 ? { values, isRequired } : undefined;
}

function toOffered(value: unknown): readonly Acr[] {
  return acrValues.filter((acr) => acr === value);
}

function acrClaimOf(claims: unknown): { values: readonly unknown[]; isEssential: boolean } {
  const members = typeof claims === 'string' ? Object(parseJson(claims)) : {};
  return readAcrClaim(Object(members.id_token).acr);
}

/** Reads the member `acr` of a request for claims of the ID token (OpenID Connect Core §5.5.1). */
export function readAcrClaim(claim: unknown): { values: readonly unknown[]; isEssential: boolean } {
  const { essential, value = [], values = [] } = Object(claim);
  return { values: [value, values].flat(), isEssential: essential === true };
}

/** Returns the least class that the user of an interaction must reach; `undefined`: any. */
export function requiredAcrOf({ params }: { params: Params }): Acr | undefined {
  const { values = [] } = acrRequestOf(params) ?? {};
  return acrValues.find((each) => values.includes(each));
}

/** Whether a sign-in of this class suffices for a request. */
export function meetsAcrRequest(params: Params, acr: string | undefined): boolean {
  const required = requiredAcrOf({ params });
  return required === undefined || satisfiesAcr(acr, required);
}

/**
 * Returns the class in the tokens of a request: the requested class that the client prefers among the ones that the
 * sign-in includes, because the ID token must contain one of an essential list (OpenID Connect Core §5.5.1.1); without
 * one, the class of the sign-in (§2).
 */
export function reportedAcrOf(params: Params, acr: string | undefined): string | undefined {
  return acrRequestOf(params)?.values.find((each) => satisfiesAcr(acr, each)) ?? acr;
}

const { Check } = interactionPolicy;

/**
 * Creates the check that a session is strong enough for a request. It asks the user once: a sign-in that is still too
 * weak fails the request (OpenID Connect Core §5.5.1.1, RFC 9470 §5), except for a voluntary claim `acr`. A request
 * without a session is left to the check `no_session`.
 */
export function createAcrCheck(): interactionPolicy.Check {
  return new Check('acr', 'requested ACR could not be obtained', 'login_required', ({ oidc }) => {
    const { session, params = {}, result } = oidc;
    if (session?.accountId === undefined || meetsAcrRequest(params, session.acr))
      return Check.NO_NEED_TO_PROMPT;
    if (!result?.login) return Check.REQUEST_PROMPT;
    if (acrRequestOf(params)?.isRequired)
      throw new errors.UnmetAuthenticationRequirements('requested ACR could not be obtained');
    return Check.NO_NEED_TO_PROMPT;
  });
}

/** Makes codes, and with them tokens, contain the class that `reportedAcrOf` selects instead of that of the session. */
export function reportRequestedAcr(provider: Provider): void {
  provider.on('authorization.accepted', ({ oidc }: KoaContextWithOIDC) => {
    const value = reportedAcrOf(oidc.params ?? {}, oidc.session?.acr);
    // oidc-provider reads this property when it creates the code or completes the device code.
    Object.defineProperty(oidc, 'acr', { value });
  });
}
