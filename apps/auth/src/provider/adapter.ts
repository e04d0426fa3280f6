import Provider, {
  type Adapter,
  type AdapterFactory,
  type AdapterPayload,
  errors,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { DEVICE_GRANT } from '../clients/device-grant.ts';
import type { Sealer } from '../keys/sealing.ts';
import type { FindJwtAccessToken } from './api-tokens-at-userinfo.ts';
import { artifactKeyOf } from './artifact-key.ts';
import { openPayload, sealPayload } from './artifact-payload.ts';
import type { Artifact, ArtifactStore, StoredArtifact } from './artifact-store.ts';
import { REPLAY_MEMORY_MARGIN_SECONDS } from './dpop.ts';
import { endSessionForGood, hasEnded } from './ended-sessions.ts';
import { rotatesRefreshTokens } from './fapi.ts';
import { type RefreshReplays, toRefreshRequest } from './refresh-replays.ts';
import { type ReuseDeps, revokeFamily } from './reuse.ts';

export interface AdapterDeps extends ReuseDeps {
  artifacts: ArtifactStore;
  sealer: Sealer;
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** A client's metadata (RFC 7591 §2), by its `client_id`. */
  findClient: (clientId: string) => Promise<AdapterPayload | undefined>;
  /** Knows access tokens that are not stored; without it there are none. */
  findJwtAccessToken?: FindJwtAccessToken | undefined;
  /** Answers that are given once more; without it, whoever comes second with a refresh token ends its family. */
  replays?: Pick<RefreshReplays, 'meet' | 'requireUnused' | 'hold'> | undefined;
}

/**
 * What oidc-provider stores things with: `adapter` of its configuration. Only SHA-256 digests of ids, uids and user
 * codes reach the store, and payloads only sealed, each to its own model and id.
 */
export function createAdapterFactory({ findClient, ...deps }: AdapterDeps): AdapterFactory {
  return (model) => {
    if (model === 'Client') return createClientAdapter(findClient);
    const adapter = createArtifactAdapter(model, deps);
    return model === 'AccessToken' ? withJwts(adapter, deps.findJwtAccessToken) : adapter;
  };
}

/** No token that is stored has a dot in it. */
function withJwts(adapter: Adapter, findJwt: FindJwtAccessToken | undefined): Adapter {
  return { ...adapter, find: async (id) => (id.includes('.') ? findJwt?.(id) : adapter.find(id)) };
}

/** How much longer than the library asks some things are kept, in seconds. */
const keptLonger: Readonly<Record<string, number>> = {
  // A device and its person are told that a code has expired (RFC 8628 §3.5), and not that it is unknown.
  DeviceCode: 600,
  ReplayDetection: REPLAY_MEMORY_MARGIN_SECONDS,
};

function createArtifactAdapter(model: string, deps: Omit<AdapterDeps, 'findClient'>): Adapter {
  const { artifacts, sealer, clock, replays } = deps;
  const now = () => new Date(clock());

  function toArtifact(id: string, payload: AdapterPayload, livesFor: number | undefined): Artifact {
    const key = artifactKeyOf(id);
    const expiresIn = livesFor && livesFor + (keptLonger[model] ?? 0);
    const { uid, userCode, accountId, clientId } = payload;
    // An interaction names the grant that it is about; it was not issued under it and need not end with it.
    const grantId = model === 'Interaction' ? undefined : payload.grantId;
    return {
      model,
      key,
      payload: sealPayload(sealer, { model, key }, payload),
      expiresAt: expiresIn === undefined ? undefined : new Date(clock() + expiresIn * 1000),
      grantKey: grantId && artifactKeyOf(grantId),
      uidKey: uid && artifactKeyOf(uid),
      userCodeKey: userCode && artifactKeyOf(userCode),
      accountId,
      clientId,
    };
  }

  // The library would end the family of a used refresh token before anything else is known; `replays` decides.
  const isDecidedLater = () => replays !== undefined && model === 'RefreshToken' && isRotating(Provider.ctx);
  // The library would revoke the grant of a used code by itself, of which there would be no record; `consume` does both.
  const isDecidedAtUse = () => isDecidedLater() || model === 'AuthorizationCode';
  // A device asks again and again (RFC 8628 §3.5), so two of its requests may meet: the later one is refused, which is
  // no reason to take from the device what the other one gets.
  const isAskedAgain = () => model === 'DeviceCode' && Provider.ctx?.oidc.params?.grant_type === DEVICE_GRANT;

  function toPayload(artifact: StoredArtifact | undefined): AdapterPayload | undefined {
    if (!artifact || hasEnded(artifact)) return undefined;
    const { consumedAt } = artifact;
    const payload = openPayload<AdapterPayload>(sealer, artifact);
    return consumedAt && !isDecidedAtUse() && !isAskedAgain()
      ? { ...payload, consumed: Math.floor(consumedAt.getTime() / 1000) }
      : payload;
  }

  return {
    async upsert(id, payload, expiresIn) {
      const artifact = toArtifact(id, payload, expiresIn);
      if (model === 'ReplayDetection') return rememberJti(artifact, deps);
      // The library has yet to sign what the answer holds besides, and nobody knows of the token before.
      if (Provider.ctx && isDecidedLater()) return replays?.hold(Provider.ctx, artifact);
      if (!(await artifacts.upsert(artifact))) throw new errors.InvalidGrant('grant was revoked');
    },

    async find(id) {
      const found = await artifacts.find(model, artifactKeyOf(id), now());
      if (found && Provider.ctx && isDecidedLater()) replays?.meet(Provider.ctx, found);
      return toPayload(found);
    },
    findByUid: async (uid) => toPayload(await artifacts.findByUid(artifactKeyOf(uid), now())),
    findByUserCode: async (userCode) =>
      toPayload(await artifacts.findByUserCode(artifactKeyOf(userCode), now())),

    // The library ignores the result: only an error keeps it from issuing tokens to everyone who came at once.
    async consume(id) {
      const { ctx } = Provider;
      if (ctx && isDecidedLater()) return replays?.requireUnused(ctx, await toRefreshRequest(ctx, id));
      const key = artifactKeyOf(id);
      if (await artifacts.consume(model, key, now())) return;
      const used = await artifacts.find(model, key, now());
      if (used) await (isAskedAgain() ? deps.onReuse?.(used) : revokeFamily(used, deps));
      throw usedBefore(model);
    },

    destroy: (id) => destroyArtifact(model, artifactKeyOf(id), deps),
    revokeByGrantId: (grantId) => artifacts.destroyIssuedUnder(artifactKeyOf(grantId)),
  };
}

/** RFC 7523 §3, RFC 9449 §11.1. The library looks before it saves; of those who look at once, one may save. */
async function rememberJti(artifact: Artifact, { artifacts, clock }: Omit<AdapterDeps, 'findClient'>) {
  if (!(await artifacts.insertOnce(artifact, new Date(clock()))))
    throw new errors.InvalidRequest('the jti was already used');
}

function destroyArtifact(model: string, key: string, { artifacts, clock }: Omit<AdapterDeps, 'findClient'>) {
  if (model === 'Grant') return artifacts.revokeGrant(key);
  if (model === 'Session') return endSessionForGood(artifacts, key, new Date(clock()));
  return artifacts.destroy(model, key);
}

/** Whether a refresh token is being used up: of those that are not, the library has to know which once were. */
function isRotating(ctx: KoaContextWithOIDC | undefined): boolean {
  return ctx?.oidc.params?.grant_type === 'refresh_token' && rotatesRefreshTokens(ctx);
}

function usedBefore(model: string): Error {
  return model === 'PushedAuthorizationRequest'
    ? new errors.InvalidRequestUri('request_uri was already used')
    : new errors.InvalidGrant(`${model} was already used`);
}

/** Clients are a domain of their own; the library only reads them. */
function createClientAdapter(findClient: AdapterDeps['findClient']): Adapter {
  async function refuse(): Promise<never> {
    throw new Error('Clients are changed through the clients domain only.');
  }
  return {
    find: findClient,
    upsert: refuse,
    findByUid: refuse,
    findByUserCode: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  };
}
