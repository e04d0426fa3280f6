import type Provider from 'oidc-provider';
import type { Grant, KoaContextWithOIDC } from 'oidc-provider';

/** Member of sessions and grants that the types of the library do not know. */
const MEMBER = 'credentialEpoch';

/**
 * Lets sessions and grants keep the credential epoch of the account that they come from, as it was at the sign-in. Codes,
 * device codes and tokens belong to a grant; an interaction belongs to a session, or carries the epoch in its result.
 */
export function keepCredentialEpochs(provider: Provider): void {
  for (const model of [provider.Session, provider.Grant]) {
    Object.defineProperty(model, 'IN_PAYLOAD', { value: [...model.IN_PAYLOAD, MEMBER] });
  }
  provider.on('interaction.ended', bindSession);
}

/** The library hands only some members of a result over to the session. */
function bindSession({ oidc }: KoaContextWithOIDC): void {
  const credentialEpoch = oidc.result?.login?.credentialEpoch;
  if (oidc.session && typeof credentialEpoch === 'number') bindTo(oidc.session, credentialEpoch);
}

/** Binds a session or grant to the credential epoch of a sign-in. */
export function bindTo(bound: object, credentialEpoch: number): void {
  Object.assign(bound, { [MEMBER]: credentialEpoch });
}

/** Credential epoch of a session or grant, or of its payload; 0 for those that an earlier version stored. */
export function credentialEpochOf(bound: object): number {
  return MEMBER in bound ? Number(bound[MEMBER]) : 0;
}

/** Finds a grant of a sign-in. A session outlives the sign-in that it began with, so it may name grants of earlier ones. */
export async function findGrant(
  provider: Provider,
  grantId: string | undefined,
  credentialEpoch: number,
): Promise<Grant | undefined> {
  const grant = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  return grant && credentialEpochOf(grant) === credentialEpoch ? grant : undefined;
}

/** Creates a grant of a sign-in; it has yet to be saved. */
export function createGrant(
  provider: Provider,
  owner: { accountId: string; clientId: string },
  credentialEpoch: number,
): Grant {
  const grant = new provider.Grant(owner);
  bindTo(grant, credentialEpoch);
  return grant;
}
