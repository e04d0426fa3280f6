import type Provider from 'oidc-provider';

/** Member of grants that oidc-provider's types omit; its tokens have one of the same name. */
const SESSION_MEMBER = 'sessionUid';

/**
 * Stores the session in which a grant was given. A session lists its grants too, but two concurrent authorization
 * requests each save the list without the other's.
 */
export function storeGrantSessions({ Grant: model }: Provider): void {
  Object.defineProperty(model, 'IN_PAYLOAD', { value: [...model.IN_PAYLOAD, SESSION_MEMBER] });
}

/** Sets the `uid` of the session in which a grant is given. */
export function setSessionUid(grant: object, uid: string | undefined): void {
  Object.assign(grant, { [SESSION_MEMBER]: uid });
}

/** Returns the `uid` of the session in which a grant was given. */
export function findSessionUid(grant: object): string | undefined {
  const uid = SESSION_MEMBER in grant ? grant[SESSION_MEMBER] : undefined;
  return typeof uid === 'string' ? uid : undefined;
}
