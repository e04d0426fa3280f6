import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { toArtifactKey } from '../../artifacts/artifact-key.ts';
import type { Artifact, ArtifactStore, Exchange, StoredArtifact } from '../../artifacts/artifact-store.ts';
import { createSealer, deriveKey } from '../../keys/sealing.ts';
import { proofKeyThumbprint } from '../tokens/dpop.ts';
import { type ReuseDeps, revokeFamily } from './revoke-family.ts';

export interface RefreshReplaysOptions extends ReuseDeps {
  artifacts: Pick<ArtifactStore, 'redeem' | 'find' | 'findAnswer' | 'revokeGrant'>;
  now: () => Date;
  /** Seconds after its use in which a refresh token gets the same response again; 0 disables replays. */
  windowSeconds: number;
}

/**
 * Replays of refresh responses. A refresh token is consumed and replaced by one write at the end of a request, so a
 * request that fails earlier leaves its token unused. The response is stored for a short window: a client that lost it,
 * or sent two concurrent requests, retries and gets the same response instead of losing its token family (RFC 9700
 * §4.14.2). The response is sealed under the presented refresh token, which the server does not store.
 */
export interface RefreshReplays {
  /** Registers the stored token that a request presents. */
  register(ctx: KoaContextWithOIDC, found: StoredArtifact): void;
  /**
   * Asserts that the presented token was unused when it was registered.
   *
   * @throws {RefreshReplayed} when it was used within the window by the same client with the same scope, resource and
   * proof key
   * @throws {errors.InvalidGrant} for any other reuse, after its grant was revoked
   */
  assertUnused(ctx: KoaContextWithOIDC, request: RefreshRequest): Promise<void>;
  /** Holds the newly issued refresh token until `commit` writes it. */
  hold(ctx: KoaContextWithOIDC, issued: Artifact): void;
  /**
   * Consumes the presented token and writes the result.
   *
   * @throws as `assertUnused`, when another request was first
   */
  commit(ctx: KoaContextWithOIDC, request: RefreshRequest): Promise<void>;
}

/** One presentation of a refresh token. */
export interface RefreshRequest {
  token: string;
  /** Parameters that must be equal for a replay. */
  context: string;
}

const TOKEN = 'RefreshToken';

export async function toRefreshRequest(ctx: KoaContextWithOIDC, token: string): Promise<RefreshRequest> {
  const { client, params } = ctx.oidc;
  const { scope = null, resource = null } = params ?? {};
  // The access token is bound to the key of the first proof (RFC 9449 §5), so another key is another request.
  const proofKey = (await proofKeyThumbprint(ctx)) ?? null;
  const context = JSON.stringify([client?.clientId, scope, resource, proofKey]);
  return { token, context };
}

export function createRefreshReplays({
  artifacts,
  now,
  windowSeconds,
  onReuse,
}: RefreshReplaysOptions): RefreshReplays {
  const windowMs = windowSeconds * 1000;
  const presented = new WeakMap<KoaContextWithOIDC, StoredArtifact>();
  const held = new WeakMap<KoaContextWithOIDC, Artifact>();
  // Absolute difference, because a clock that is set back would extend the window.
  const isWithinWindow = (at: Date | undefined) =>
    at !== undefined && Math.abs(now().getTime() - at.getTime()) < windowMs;

  function toAnswer({ body }: KoaContextWithOIDC, { token, context }: RefreshRequest): Exchange['answer'] {
    if (windowMs === 0) return undefined;
    const payload = sealerOf(token).seal(Buffer.from(JSON.stringify(body)), context);
    return { payload, expiresAt: new Date(now().getTime() + windowMs) };
  }

  async function replayOrReject(
    used: StoredArtifact | undefined,
    { token, context }: RefreshRequest,
  ): Promise<never> {
    if (isWithinWindow(used?.consumedAt)) {
      const sealed = await artifacts.findAnswer(toArtifactKey(token), now());
      const answer = sealed && open(sealed, token, context);
      if (answer) throw new RefreshReplayed(answer);
    }
    if (used) await revokeFamily(used, { artifacts, now, onReuse });
    throw new errors.InvalidGrant('refresh token was already used');
  }

  return {
    register: (ctx, found) => void presented.set(ctx, found),
    async assertUnused(ctx, request) {
      const found = presented.get(ctx);
      if (found?.consumedAt || !found) await replayOrReject(found, request);
    },
    hold: (ctx, issued) => void held.set(ctx, issued),
    async commit(ctx, request) {
      const issued = held.get(ctx);
      // Without a new token the presented one is not consumed and can be used again.
      if (!issued) return;
      const key = toArtifactKey(request.token);
      const answer = toAnswer(ctx, request);
      if (await artifacts.redeem(key, now(), { issued, answer })) return;
      await replayOrReject(await artifacts.find(TOKEN, key, now()), request);
    },
  };
}

function open(payload: Uint8Array, token: string, context: string): object | undefined {
  try {
    return JSON.parse(sealerOf(token).open(payload, context).toString());
  } catch {
    // Sealed for another client, scope, resource or key, so this is not a retry.
    return undefined;
  }
}

function sealerOf(token: string) {
  return createSealer(deriveKey(token, 'refresh replay'));
}

/** Thrown when a used refresh token gets its response again. */
export class RefreshReplayed extends Error {
  override name = 'RefreshReplayed';
  readonly body: object;

  constructor(body: object) {
    super('the refresh response is replayed');
    this.body = body;
  }
}
