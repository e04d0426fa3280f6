import { setTimeout as sleep } from 'node:timers/promises';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { createSealer, deriveKey } from '../keys/sealing.ts';
import { artifactKeyOf } from './artifact-key.ts';
import type { Artifact, ArtifactStore, StoredArtifact } from './artifact-store.ts';
import { namedProofKey } from './dpop.ts';

export interface RefreshReplaysOptions {
  artifacts: Pick<ArtifactStore, 'upsert' | 'find'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** How long after its use a refresh token gets the same answer again; 0: never. */
  windowSeconds: number;
}

/**
 * The answers to refresh requests, kept for a moment: a client that lost one, or asked twice at once, asks again and
 * gets the same, instead of losing its whole family as a thief would (RFC 9700 §4.14.2). An answer is sealed under the
 * refresh token that it was given for, which the server does not keep.
 */
export interface RefreshReplays {
  /** Holds the refresh token that a request is about to be answered with, until `keep` writes both. */
  hold(ctx: KoaContextWithOIDC, issued: Artifact): void;
  /** Writes the answer to a request and the refresh token in it; on SQLite they share a commit. */
  keep(ctx: KoaContextWithOIDC, request: RefreshRequest): Promise<void>;
  /**
   * The answer that the token got, if it was used within the window by the same client for the same scope and
   * resource, and with a proof of the same key; waits for one that is being made.
   */
  find(used: StoredArtifact, request: RefreshRequest): Promise<object | undefined>;
}

/** One use of a refresh token. */
export interface RefreshRequest {
  token: string;
  /** What must be the same for the answer to be. */
  context: string;
}

const MODEL = 'RefreshReplay';
const POLL_MS = 20;
/** How long the one that came first may take; one that was killed meanwhile left no answer. */
const PATIENCE_MS = 3_000;

/** @throws {Error} outside of a request */
export function toRefreshRequest(ctx: KoaContextWithOIDC | undefined, token: string): RefreshRequest {
  if (!ctx) throw new Error('A refresh token is used in a request only.');
  const { client, params } = ctx.oidc;
  const { scope = null, resource = null } = params ?? {};
  // The access token in the answer is bound to the key of the first proof (RFC 9449 §5): another key is another client.
  const context = JSON.stringify([client?.clientId, scope, resource, namedProofKey(ctx) ?? null]);
  return { token, context };
}

export function createRefreshReplays({
  artifacts,
  clock,
  windowSeconds,
}: RefreshReplaysOptions): RefreshReplays {
  const windowMs = windowSeconds * 1000;
  const held = new WeakMap<KoaContextWithOIDC, Artifact>();
  const isWithinWindow = (at: Date | undefined) => at !== undefined && clock() < at.getTime() + windowMs;

  function toReplay({ body }: KoaContextWithOIDC, issued: Artifact, request: RefreshRequest): Artifact {
    const { token, context } = request;
    const { grantKey, accountId, clientId } = issued;
    return {
      model: MODEL,
      key: artifactKeyOf(token),
      payload: sealerOf(token).seal(Buffer.from(JSON.stringify(body)), context),
      expiresAt: new Date(clock() + windowMs),
      grantKey,
      accountId,
      clientId,
    };
  }

  return {
    hold: (ctx, issued) => void held.set(ctx, issued),
    async keep(ctx, request) {
      const issued = held.get(ctx);
      // Without one the token was not used up: it may come again, and gets an answer of its own.
      if (!issued) return;
      const replays = windowMs === 0 ? [] : [toReplay(ctx, issued, request)];
      await Promise.all([issued, ...replays].map((each) => artifacts.upsert(each)));
    },
    async find({ consumedAt }, { token, context }) {
      const giveUpAt = performance.now() + PATIENCE_MS;
      while (isWithinWindow(consumedAt) && performance.now() < giveUpAt) {
        const kept = await artifacts.find(MODEL, artifactKeyOf(token), new Date(clock()));
        if (kept) return open(kept.payload, token, context);
        await sleep(POLL_MS);
      }
      return undefined;
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
