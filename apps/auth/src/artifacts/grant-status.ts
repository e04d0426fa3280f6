import type Provider from 'oidc-provider';

/** Member of grants that oidc-provider's types omit. */
const STATUS_MEMBER = 'statusIndex';

/** Stores the index in the token status list with each grant. */
export function storeGrantStatuses({ Grant: model }: Provider): void {
  Object.defineProperty(model, 'IN_PAYLOAD', { value: [...model.IN_PAYLOAD, STATUS_MEMBER] });
}

/** Returns the payload of a grant with an index in the token status list. */
export function withStatusIndex<Payload extends object>(payload: Payload, statusIndex: number): Payload {
  return { ...payload, [STATUS_MEMBER]: statusIndex };
}

/** Returns the index of a grant, or of its payload, in the token status list. */
export function findStatusIndex(grant: object): number | undefined {
  const index = STATUS_MEMBER in grant ? grant[STATUS_MEMBER] : undefined;
  return typeof index === 'number' ? index : undefined;
}
