import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { createSealer, deriveKey } from '../keys/sealing.ts';
import { artifactKeyOf } from './artifact-key.ts';
import type { Artifact, ArtifactStore, Exchange, StoredArtifact } from './artifact-store.ts';
import { namedProofKey } from './dpop.ts';
import { type ReuseDeps, revokeFamily } from './reuse.ts';

export interface RefreshReplaysOptions extends ReuseDeps {
  artifacts: Pick<ArtifactStore, 'redeem' | 'find' | 'findAnswer' | 'revokeGrant'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** How long after its use a refresh token gets the same answer again; 0: never. */
  windowSeconds: number;
}

/**
 * Refresh tokens are used up, and replaced, by one write at the end of a request: a request that fails before leaves its
 * token as it was. With them the answer is kept for a moment: a client that lost one, or asked twice at once, asks again
 * and gets the same, instead of losing its whole family as a thief would (RFC 9700 §4.14.2). An answer is sealed under
 * the refresh token that it was given for, which the server does not keep.
 */
export interface RefreshReplays {
  /** Takes notice of the token that a request presents, as it was found. */
  meet(ctx: KoaContextWithOIDC, found: StoredArtifact): void;
  /**
   * Lets a token pass that was not used before when it was met.
   *
   * @throws {RefreshReplayed} when it was used within the window by the same client for the same scope and resource, and
   *   with a proof of the same key
   * @throws {errors.InvalidGrant} when it was used in another way, after its grant was revoked
   */
  requireUnused(ctx: KoaContextWithOIDC, request: RefreshRequest): Promise<void>;
  /** Holds the refresh token that a request is about to be answered with, until `keep` writes it. */
  hold(ctx: KoaContextWithOIDC, issued: Artifact): void;
  /** Uses a token up and writes what it was given. @throws as `requireUnused` does, when somebody else was first */
  keep(ctx: KoaContextWithOIDC, request: RefreshRequest): Promise<void>;
}

/** One use of a refresh token. */
export interface RefreshRequest {
  token: string;
  /** What must be the same for the answer to be. */
  context: string;
}

const TOKEN = 'RefreshToken';

export async function toRefreshRequest(ctx: KoaContextWithOIDC, token: string): Promise<RefreshRequest> {
  const { client, params } = ctx.oidc;
  const { scope = null, resource = null } = params ?? {};
  // The access token in the answer is bound to the key of the first proof (RFC 9449 §5): another key is another client.
  const proofKey = (await namedProofKey(ctx)) ?? null;
  const context = JSON.stringify([client?.clientId, scope, resource, proofKey]);
  return { token, context };
}

export function createRefreshReplays({
  artifacts,
  clock,
  windowSeconds,
  onReuse,
}: RefreshReplaysOptions): RefreshReplays {
  const windowMs = windowSeconds * 1000;
  const met = new WeakMap<KoaContextWithOIDC, StoredArtifact>();
  const held = new WeakMap<KoaContextWithOIDC, Artifact>();
  const now = () => new Date(clock());
  // On either side, or a clock that is set back would make the window as much longer.
  const isWithinWindow = (at: Date | undefined) =>
    at !== undefined && Math.abs(clock() - at.getTime()) < windowMs;

  function toAnswer({ body }: KoaContextWithOIDC, { token, context }: RefreshRequest): Exchange['answer'] {
    if (windowMs === 0) return undefined;
    const payload = sealerOf(token).seal(Buffer.from(JSON.stringify(body)), context);
    return { payload, expiresAt: new Date(clock() + windowMs) };
  }

  async function refuse(
    used: StoredArtifact | undefined,
    { token, context }: RefreshRequest,
  ): Promise<never> {
    if (isWithinWindow(used?.consumedAt)) {
      const kept = await artifacts.findAnswer(artifactKeyOf(token), now());
      const answer = kept && open(kept, token, context);
      if (answer) throw new RefreshReplayed(answer);
    }
    if (used) await revokeFamily(used, { artifacts, onReuse });
    throw new errors.InvalidGrant('refresh token was already used');
  }

  return {
    meet: (ctx, found) => void met.set(ctx, found),
    async requireUnused(ctx, request) {
      const found = met.get(ctx);
      if (found?.consumedAt || !found) await refuse(found, request);
    },
    hold: (ctx, issued) => void held.set(ctx, issued),
    async keep(ctx, request) {
      const issued = held.get(ctx);
      // Without one the token is not to be used up: it may come again, and gets an answer of its own.
      if (!issued) return;
      const key = artifactKeyOf(request.token);
      const answer = toAnswer(ctx, request);
      if (await artifacts.redeem(key, now(), { issued, answer })) return;
      await refuse(await artifacts.find(TOKEN, key, now()), request);
    },
  };
}

function open(payload: Uint8Array, token: string, context: string): object | undefined {
  try {
    return JSON.parse(Buffer.from(sealerOf(token).open(payload, context)).toString());
  } catch {
    // Sealed for another client, scope, resource or key: this is no retry.
    return undefined;
  }
}

function sealerOf(token: string) {
  return createSealer(deriveKey(token, 'refresh replay'));
}

/** A refresh token was used before, and gets the same answer again. */
export class RefreshReplayed extends Error {
  override name = 'RefreshReplayed';
  readonly body: object;

  constructor(body: object) {
    super('the refresh token gets the same answer again');
    this.body = body;
  }
}
