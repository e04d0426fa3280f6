import type Provider from 'oidc-provider';
import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { setSessionUid } from './grant-sessions.ts';

/** Member of sessions and grants that oidc-provider's types omit. */
const EPOCH_MEMBER = 'credentialEpoch';

/**
 * Stores the credential epoch of the sign-in in sessions and grants. Codes, device codes and tokens belong to a grant;
 * an interaction belongs to a session, or carries the epoch in its result.
 */
export function storeCredentialEpochs(provider: Provider): void {
  for (const model of [provider.Session, provider.Grant]) {
    Object.defineProperty(model, 'IN_PAYLOAD', { value: [...model.IN_PAYLOAD, EPOCH_MEMBER] });
  }
  provider.on('interaction.ended', bindSession);
}

/** Copies the epoch from the interaction result to the session; oidc-provider copies only some members. */
function bindSession({ oidc }: KoaContextWithOIDC): void {
  const credentialEpoch = oidc.result?.login?.credentialEpoch;
  if (oidc.session && typeof credentialEpoch === 'number') setCredentialEpoch(oidc.session, credentialEpoch);
}

/** Sets the credential epoch of a session or grant. */
export function setCredentialEpoch(bound: object, credentialEpoch: number): void {
  Object.assign(bound, { [EPOCH_MEMBER]: credentialEpoch });
}

/** Returns the credential epoch of a session, a grant or its payload; without one `NaN`, which equals no epoch. */
export function findCredentialEpoch(bound: object): number {
  const epoch = EPOCH_MEMBER in bound ? bound[EPOCH_MEMBER] : undefined;
  return typeof epoch === 'number' ? epoch : Number.NaN;
}

/**
 * Finds a grant of the current sign-in. A session outlives its first sign-in, so it may refer to grants of earlier
 * ones.
 */
export async function findGrant(
  provider: Provider,
  grantId: string | undefined,
  credentialEpoch: number,
): Promise<Grant | undefined> {
  const grant = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  return grant && findCredentialEpoch(grant) === credentialEpoch ? grant : undefined;
}

/** Creates an unsaved grant for a sign-in, given in a session. */
export function createGrant(
  provider: Provider,
  owner: { accountId: string; clientId: string },
  signIn: { credentialEpoch: number; sessionUid: string | undefined },
): Grant {
  const grant = new provider.Grant(owner);
  setCredentialEpoch(grant, signIn.credentialEpoch);
  setSessionUid(grant, signIn.sessionUid);
  return grant;
}
