import type { Context } from 'koa';
import Provider from 'oidc-provider';
import { type Device, describeDevice } from '../values/device.ts';

/** Use of a session, as its owner sees it. */
export interface SessionActivity {
  device: Device;
  /** Network address of the last recorded request. */
  address: string;
  /** Milliseconds since the epoch. */
  firstSeenAt: number;
  /** Milliseconds since the epoch; of the last recorded request. */
  lastSeenAt: number;
}

/** Member of sessions that oidc-provider's types omit. */
const ACTIVITY_MEMBER = 'activity';
/** Property of sessions that are saved outside oidc-provider's endpoints, where `Provider.ctx` is not set. */
const REQUEST_MEMBER = 'request';
/** Minimum interval between two writes that only record the use of a session. */
const RECORD_INTERVAL_MS = 300_000;

type Session = InstanceType<Provider['Session']>;

/**
 * Records the device, address and time of the current request in each signed-in session that is saved. It is sealed
 * with the rest of the session. oidc-provider saves the session in each authorization request, so this adds no write.
 */
export function storeSessionActivity({ Session: model }: Provider, now: () => Date): void {
  Object.defineProperty(model, 'IN_PAYLOAD', { value: [...model.IN_PAYLOAD, ACTIVITY_MEMBER] });
  const { save } = model.prototype;
  model.prototype.save = async function saveWithActivity(this: Session, ttl: number) {
    const ctx = Provider.ctx ?? findRequest(this);
    if (ctx && this.accountId !== undefined) {
      const { firstSeenAt } = findActivity(this) ?? { firstSeenAt: now().getTime() };
      const device = describeDevice(ctx.get('user-agent'));
      const activity = { device, address: ctx.ip, firstSeenAt, lastSeenAt: now().getTime() };
      Object.assign(this, { [ACTIVITY_MEMBER]: activity satisfies SessionActivity });
    }
    return save.call(this, ttl);
  };
}

/**
 * Records the use of a session by a request that does not save it, at most every five minutes. It reads the session
 * again, because an authorization request may have changed it since.
 */
export async function recordActivity(
  provider: Provider,
  ctx: Context,
  { session, now }: { session: Session; now: Date },
): Promise<void> {
  const lastSeenAt = findActivity(session)?.lastSeenAt ?? 0;
  if (now.getTime() - lastSeenAt < RECORD_INTERVAL_MS) return;
  const current = await provider.Session.find(session.jti);
  if (!current) return;
  bindToRequest(current, ctx);
  await current.persist();
}

/** Names the request in which a session is saved. */
export function bindToRequest(session: Session, ctx: Context): void {
  Object.assign(session, { [REQUEST_MEMBER]: ctx });
}

function findRequest(session: object): Context | undefined {
  return REQUEST_MEMBER in session ? (session[REQUEST_MEMBER] as Context) : undefined;
}

/** Returns the recorded use of a session or its payload. */
export function findActivity(session: object): SessionActivity | undefined {
  return ACTIVITY_MEMBER in session ? (session[ACTIVITY_MEMBER] as SessionActivity | undefined) : undefined;
}
