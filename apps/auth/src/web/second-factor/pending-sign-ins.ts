import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import type { AccountStore } from '../../accounts/account/account-store.ts';
import type { Authentication, UpstreamSession } from '../../accounts/account/authentication.ts';
import { isCurrentSignIn } from '../../accounts/account/credential-epoch.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { markOnce } from '../../artifacts/mark.ts';
import { isLoggedOutUpstream } from '../../artifacts/upstream-log-outs.ts';
import type { Sealer } from '../../keys/sealing.ts';
import { createSealedCookie } from '../kit/cookies/sealed-cookie.ts';

/** Requirements of a request for a sign-in. */
export interface SignInDemand {
  /** Class that the request requires. */
  requiredAcr?: string | undefined;
  /** Whether the user signs in again before a change, so that a trusted device does not count. */
  isAgain?: boolean | undefined;
}

/** Sign-in that waits for its second factor. Nothing is signed in. */
export interface PendingSignIn extends Authentication, SignInDemand {
  id: string;
}

export interface PendingSignInsOptions {
  sealer: Sealer;
  /** Name of the cookie. */
  cookie: string;
  accounts: Pick<AccountStore, 'find'>;
  artifacts: Pick<ArtifactStore, 'find' | 'insertOnce'>;
  now: () => Date;
}

/** Sign-ins that wait up to ten minutes for their second factor, each in a sealed cookie of its browser. */
export interface PendingSignIns {
  /** @param place page that continues; no other page finds the sign-in */
  keep(ctx: Context, place: string, signIn: Authentication & SignInDemand): void;
  /**
   * Finds the sign-in, unless its account was disabled or got another credential epoch, or its provider ended it.
   * Resolves with `expired` if the browser has none any more, or a later one of another page.
   */
  find(ctx: Context, place: string): Promise<PendingSignIn | 'expired' | undefined>;
  /** Ends the sign-in when it is complete; resolves with `false` if it was completed before. */
  redeem(ctx: Context, signIn: PendingSignIn): Promise<boolean>;
}

const TTL_SECONDS = 600;

interface Payload extends SignInDemand {
  id: string;
  place: string;
  accountId: string;
  credentialEpoch: number;
  methods: readonly string[];
  loginTs: number;
  upstream?: UpstreamSession | undefined;
}

export function createPendingSignIns(options: PendingSignInsOptions): PendingSignIns {
  const { sealer, accounts, artifacts, now } = options;
  const cookie = createSealedCookie<Payload>({ name: options.cookie, sealer, ttlSeconds: TTL_SECONDS, now });

  return {
    keep(ctx, place, { account, requiredAcr, isAgain, ...authentication }) {
      const { id: accountId, credentialEpoch } = account;
      const { methods, loginTs, upstream } = authentication;
      const signIn = { accountId, credentialEpoch, methods, loginTs, upstream, requiredAcr, isAgain };
      cookie.set(ctx, { id: randomUUID(), place, ...signIn });
    },
    async find(ctx, place) {
      const payload = cookie.read(ctx);
      if (payload?.place !== place) return 'expired';
      const { accountId, credentialEpoch, place: _, ...signIn } = payload;
      const { upstream } = signIn;
      if (upstream && (await isLoggedOutUpstream(artifacts, upstream, now()))) return undefined;
      const account = await accounts.find(accountId);
      return isCurrentSignIn(account, credentialEpoch) ? { ...signIn, account } : undefined;
    },
    redeem(ctx, { id }) {
      cookie.clear(ctx);
      const at = now();
      const expiresAt = new Date(at.getTime() + TTL_SECONDS * 1000);
      return markOnce(artifacts, { model: 'UsedSignIn', id, expiresAt }, at);
    },
  };
}
