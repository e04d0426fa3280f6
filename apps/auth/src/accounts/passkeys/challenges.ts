import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { markOnce } from '../../artifacts/mark.ts';

/** Ceremony that a challenge is for. */
export interface ChallengeScope {
  purpose: 'registration' | 'authentication';
  /** Anti-forgery token of the form that posts the response. It is random, and only one browser can post it. */
  formToken: string;
  /** Account that gets the passkey; absent at sign-in. */
  accountId?: string | undefined;
}

/** Single-use challenges of WebAuthn (Level 3 §13.4.3), each bound to one ceremony in one browser. */
export interface PasskeyChallenges {
  /** Creates the challenge of a page, base64url. */
  create(scope: ChallengeScope): string;
  /** Redeems a challenge. Exactly one of several calls resolves with `true`, only within 5 minutes and in its scope. */
  redeem(challenge: string, scope: ChallengeScope): Promise<boolean>;
}

interface PasskeyChallengesOptions {
  artifacts: Pick<ArtifactStore, 'insertOnce'>;
  /** 32 bytes, derived only for this purpose. */
  key: Uint8Array;
  now: () => Date;
}

export const CHALLENGE_TTL_MS = 300_000;
const TIME_BYTES = 6;

/**
 * Creates challenges that contain their expiry and a MAC. So only used ones are stored, and visits of a page store
 * nothing.
 */
export function createPasskeyChallenges({
  artifacts,
  key,
  now,
}: PasskeyChallengesOptions): PasskeyChallenges {
  function createUntil(expiresAtMs: number, { purpose, formToken, accountId = '' }: ChallengeScope): Buffer {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeUIntBE(expiresAtMs, 0, TIME_BYTES);
    const scope = [purpose, accountId, formToken].join('\n');
    return Buffer.concat([time, createHmac('sha256', key).update(time).update(scope).digest()]);
  }

  return {
    create: (scope) => createUntil(now().getTime() + CHALLENGE_TTL_MS, scope).toString('base64url'),
    async redeem(challenge, scope) {
      const presented = Buffer.from(challenge, 'base64url');
      if (presented.length < TIME_BYTES) return false;
      const expiresAtMs = presented.readUIntBE(0, TIME_BYTES);
      const expected = createUntil(expiresAtMs, scope);
      if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return false;
      const at = now();
      if (expiresAtMs <= at.getTime()) return false;
      // The canonical text, because base64url has several texts of the same bytes.
      const id = expected.toString('base64url');
      return markOnce(artifacts, { model: 'UsedChallenge', id, expiresAt: new Date(expiresAtMs) }, at);
    },
  };
}
