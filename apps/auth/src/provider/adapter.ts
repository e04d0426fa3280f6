import Provider, {
  type Adapter,
  type AdapterFactory,
  type AdapterPayload,
  errors,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { toArtifactKey } from '../artifacts/artifact-key.ts';
import { openPayload, sealPayload } from '../artifacts/artifact-payload.ts';
import type { Artifact, ArtifactStore, StoredArtifact } from '../artifacts/artifact-store.ts';
import {
  endSessionPermanently,
  isEndedSession,
  isMarkedEnded,
  markSessionEnded,
} from '../artifacts/ended-sessions.ts';
import { findSessionUid } from '../artifacts/grant-sessions.ts';
import { findStatusIndex, withStatusIndex } from '../artifacts/grant-status.ts';
import { isLoggedOutUpstream } from '../artifacts/upstream-log-outs.ts';
import { findUpstreamSession, indexUpstreamSession } from '../artifacts/upstream-sessions.ts';
import { DEVICE_GRANT } from '../clients/client-types.ts';
import type { Sealer } from '../keys/sealing.ts';
import type { AllocateStatusIndex } from '../token-status/status-indexes.ts';
import { type RefreshReplays, toRefreshRequest } from './grants/refresh-replays.ts';
import { type ReuseDeps, revokeFamily } from './grants/revoke-family.ts';
import type { FindJwtAccessToken } from './tokens/api-tokens-at-userinfo.ts';
import { REPLAY_RETENTION_MARGIN_SECONDS } from './tokens/dpop.ts';
import { rotatesRefreshTokens } from './tokens/fapi.ts';

export interface AdapterDeps extends ReuseDeps {
  artifacts: ArtifactStore;
  sealer: Sealer;
  now: () => Date;
  /** Returns a client's metadata (RFC 7591 §2) by `client_id`. */
  findClient: (clientId: string) => Promise<AdapterPayload | undefined>;
  /** Finds access tokens that are not stored; without it only stored ones are found. */
  findJwtAccessToken?: FindJwtAccessToken | undefined;
  /** Allocates the status of a new grant; without it grants have none. */
  allocateStatusIndex?: AllocateStatusIndex | undefined;
  /** Replays of refresh responses; without it a second use of a refresh token revokes its family. */
  replays?: Pick<RefreshReplays, 'register' | 'assertUnused' | 'hold'> | undefined;
}

/**
 * Creates the `adapter` of oidc-provider's configuration. The store receives only SHA-256 digests of ids, uids and user
 * codes, and payloads sealed to their model and id.
 */
export function createAdapterFactory({ findClient, ...deps }: AdapterDeps): AdapterFactory {
  return (model) => {
    if (model === 'Client') return createClientAdapter(findClient);
    const adapter = createArtifactAdapter(model, deps);
    if (model === 'Grant') return withStatuses(adapter, deps.allocateStatusIndex);
    return model === 'AccessToken' ? withJwtLookup(adapter, deps.findJwtAccessToken) : adapter;
  };
}

/** Adds JWT access tokens to `find`. Ids of stored tokens contain no dot. */
function withJwtLookup(adapter: Adapter, findJwt: FindJwtAccessToken | undefined): Adapter {
  return { ...adapter, find: async (id) => (id.includes('.') ? findJwt?.(id) : adapter.find(id)) };
}

/** Allocates a status for each new grant. */
function withStatuses(adapter: Adapter, allocate: AllocateStatusIndex | undefined): Adapter {
  return {
    ...adapter,
    async upsert(id, grant, expiresIn) {
      const hasStatus = !allocate || findStatusIndex(grant) !== undefined;
      return adapter.upsert(id, hasStatus ? grant : withStatusIndex(grant, await allocate()), expiresIn);
    },
  };
}

/** Extra retention in seconds by model, on top of the lifetime that oidc-provider requests. */
const extraRetentionSeconds: Readonly<Record<string, number>> = {
  // The device gets `expired_token` (RFC 8628 §3.5) instead of an unknown code.
  DeviceCode: 600,
  ReplayDetection: REPLAY_RETENTION_MARGIN_SECONDS,
};

function createArtifactAdapter(model: string, deps: Omit<AdapterDeps, 'findClient'>): Adapter {
  const { artifacts, sealer, now, replays } = deps;

  function toArtifact(id: string, payload: AdapterPayload, lifetimeSeconds: number | undefined): Artifact {
    const key = toArtifactKey(id);
    const expiresIn = lifetimeSeconds && lifetimeSeconds + (extraRetentionSeconds[model] ?? 0);
    const { uid, userCode, accountId, clientId } = payload;
    // An interaction refers to a grant but was not issued under it, so it must not end with it.
    const grantId = model === 'Interaction' ? undefined : payload.grantId;
    return {
      model,
      key,
      payload: sealPayload(sealer, { model, key }, payload),
      expiresAt: expiresIn === undefined ? undefined : new Date(now().getTime() + expiresIn * 1000),
      grantKey: grantId && toArtifactKey(grantId),
      uidKey: uid && toArtifactKey(uid),
      userCodeKey: userCode && toArtifactKey(userCode),
      accountId,
      clientId,
      statusIndex: findStatusIndex(payload),
    };
  }

  // oidc-provider would revoke the family of a used refresh token at once; `replays` decides instead.
  const usesReplays = () => replays !== undefined && model === 'RefreshToken' && isRotating(Provider.ctx);
  // oidc-provider would revoke the grant of a used code without an audit record; `consume` does both.
  const isReuseHandledOnConsume = () => usesReplays() || model === 'AuthorizationCode';

  function toPayload(artifact: StoredArtifact | undefined): AdapterPayload | undefined {
    if (!artifact || isEndedSession(artifact)) return undefined;
    const { consumedAt } = artifact;
    const payload = openPayload<AdapterPayload>(sealer, artifact);
    return consumedAt && !isReuseHandledOnConsume() && !isDevicePoll(model)
      ? { ...payload, consumed: Math.floor(consumedAt.getTime() / 1000) }
      : payload;
  }

  return {
    async upsert(id, payload, expiresIn) {
      const artifact = toArtifact(id, payload, expiresIn);
      if (model === 'ReplayDetection') return storeJti(artifact, deps);
      // The token is written later, together with the signed response; no client has seen it yet.
      if (Provider.ctx && usesReplays()) return replays?.hold(Provider.ctx, artifact);
      if (!(await artifacts.upsert(artifact))) throw new errors.InvalidGrant('grant was revoked');
      await completeWrite(artifact, payload, deps);
    },

    async find(id) {
      const found = await artifacts.find(model, toArtifactKey(id), now());
      if (found && Provider.ctx && usesReplays()) replays?.register(Provider.ctx, found);
      return toPayload(found);
    },
    findByUid: async (uid) => toPayload(await artifacts.findByUid(toArtifactKey(uid), now())),
    findByUserCode: async (userCode) =>
      toPayload(await artifacts.findByUserCode(toArtifactKey(userCode), now())),

    // oidc-provider ignores the result; only an error stops concurrent requests from all receiving tokens.
    async consume(id) {
      const { ctx } = Provider;
      if (ctx && usesReplays()) return replays?.assertUnused(ctx, await toRefreshRequest(ctx, id));
      const key = toArtifactKey(id);
      if (await artifacts.consume(model, key, now())) return;
      const used = await artifacts.find(model, key, now());
      if (used) await (isDevicePoll(model) ? deps.onReuse?.(used) : revokeFamily(used, deps));
      throw toReuseError(model);
    },

    destroy: (id) => destroyArtifact(model, toArtifactKey(id), deps),
    revokeByGrantId: (grantId) => artifacts.destroyByGrant(toArtifactKey(grantId)),
  };
}

/** Indexes a stored session, and destroys it if it has ended in the meantime. */
async function completeWrite(
  artifact: Artifact,
  payload: AdapterPayload,
  deps: Omit<AdapterDeps, 'findClient'>,
): Promise<void> {
  const { artifacts, now } = deps;
  await indexUpstreamSession(artifacts, artifact, payload);
  const upstream = artifact.model === 'Session' ? findUpstreamSession(payload) : undefined;
  // A log-out that came before this write did not find the session.
  if (upstream && payload.uid && (await isLoggedOutUpstream(artifacts, upstream, now())))
    await markSessionEnded(artifacts, payload.uid, now());
  await destroyIfSessionEnded(artifact, payload, deps);
}

/**
 * Destroys a stored session or grant if the session was ended in the meantime. It checks after the write, so that
 * either this or the end of the session comes second and finds the other.
 */
async function destroyIfSessionEnded(
  { model, key }: Artifact,
  payload: AdapterPayload,
  deps: Omit<AdapterDeps, 'findClient'>,
): Promise<void> {
  const uid = sessionUidIn(model, payload);
  if (uid === undefined || !(await isMarkedEnded(deps.artifacts, uid, deps.now()))) return;
  await destroyArtifact(model, key, deps);
}

/** Returns the `uid` of the session that a session or grant belongs to. */
function sessionUidIn(model: string, payload: AdapterPayload): string | undefined {
  if (model === 'Session') return payload.uid;
  return model === 'Grant' ? findSessionUid(payload) : undefined;
}

/**
 * Stores a `jti` (RFC 7523 §3, RFC 9449 §11.1). oidc-provider reads before it writes; the unique insert lets one of
 * several concurrent requests pass.
 */
async function storeJti(artifact: Artifact, { artifacts, now }: Omit<AdapterDeps, 'findClient'>) {
  if (!(await artifacts.insertOnce(artifact, now())))
    throw new errors.InvalidRequest('the jti was already used');
}

function destroyArtifact(model: string, key: string, { artifacts, now }: Omit<AdapterDeps, 'findClient'>) {
  if (model === 'Grant') return artifacts.revokeGrant(key, now());
  if (model === 'Session') return endSessionPermanently(artifacts, key, now());
  return artifacts.destroy(model, key);
}

/**
 * Whether a device polls with its code (RFC 8628 §3.5). Two of its requests may race; the later one is rejected, but
 * the tokens of the first one stay valid.
 */
function isDevicePoll(model: string): boolean {
  return model === 'DeviceCode' && Provider.ctx?.oidc.params?.grant_type === DEVICE_GRANT;
}

/** Whether the request rotates a refresh token. Otherwise oidc-provider must see which tokens were consumed. */
function isRotating(ctx: KoaContextWithOIDC | undefined): boolean {
  return ctx?.oidc.params?.grant_type === 'refresh_token' && rotatesRefreshTokens(ctx);
}

function toReuseError(model: string): Error {
  return model === 'PushedAuthorizationRequest'
    ? new errors.InvalidRequestUri('request_uri was already used')
    : new errors.InvalidGrant(`${model} was already used`);
}

/** Creates a read-only adapter for clients, which are changed through their own domain. */
function createClientAdapter(findClient: AdapterDeps['findClient']): Adapter {
  async function rejectWrite(): Promise<never> {
    throw new Error('Clients are read-only here; change them through the client domain.');
  }
  return {
    find: findClient,
    upsert: rejectWrite,
    findByUid: rejectWrite,
    findByUserCode: rejectWrite,
    consume: rejectWrite,
    destroy: rejectWrite,
    revokeByGrantId: rejectWrite,
  };
}
