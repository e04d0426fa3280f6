import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import type { AccountStore } from '../../accounts/account-store.ts';
import type { Authentication } from '../../accounts/authentication.ts';
import { isLeaving, isSignInStillValid } from '../../accounts/credential-epoch.ts';
import { artifactKeyOf } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { Sealer } from '../../keys/sealing.ts';

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
  artifacts: Pick<ArtifactStore, 'insertOnce'>;
  now: () => Date;
}

/** Sign-ins that wait up to ten minutes for their second factor, each in a sealed cookie of its browser. */
export interface PendingSignIns {
  /** @param place page that continues; no other page finds the sign-in */
  keep(ctx: Context, place: string, signIn: Authentication & SignInDemand): void;
  /** Finds the sign-in, unless its account was disabled or got another credential epoch. */
  find(ctx: Context, place: string): Promise<PendingSignIn | undefined>;
  /** Ends the sign-in when it is complete; resolves with `false` if it was completed before. */
  redeem(ctx: Context, signIn: PendingSignIn): Promise<boolean>;
}

const TTL_MS = 10 * 60_000;

interface Payload extends SignInDemand {
  id: string;
  accountId: string;
  credentialEpoch: number;
  methods: readonly string[];
  loginTs: number;
  expiresAt: number;
}

export function createPendingSignIns(options: PendingSignInsOptions): PendingSignIns {
  const { sealer, cookie, accounts, artifacts, now } = options;
  const attributes = { httpOnly: true, sameSite: 'lax', signed: false } as const;

  function read(ctx: Context, place: string): Payload | undefined {
    const sealed = ctx.cookies.get(cookie, { signed: false });
    if (!sealed) return undefined;
    try {
      const opened = sealer.open(Buffer.from(sealed, 'base64url'), associatedDataOf(place));
      const payload = JSON.parse(Buffer.from(opened).toString()) as Payload;
      return now().getTime() < payload.expiresAt ? payload : undefined;
    } catch {
      // Altered, or the sign-in of another page in this browser.
      return undefined;
    }
  }

  return {
    keep(ctx, place, { account, methods, loginTs, requiredAcr, isAgain }) {
      const { id: accountId, credentialEpoch } = account;
      const expiresAt = now().getTime() + TTL_MS;
      const demand = { requiredAcr, isAgain };
      const owner = { accountId, credentialEpoch };
      const payload: Payload = { id: randomUUID(), ...owner, methods, loginTs, expiresAt, ...demand };
      const sealed = sealer.seal(Buffer.from(JSON.stringify(payload)), associatedDataOf(place));
      ctx.cookies.set(cookie, Buffer.from(sealed).toString('base64url'), { ...attributes, maxAge: TTL_MS });
    },
    async find(ctx, place) {
      const payload = read(ctx, place);
      if (!payload) return undefined;
      const { accountId, credentialEpoch, expiresAt, ...signIn } = payload;
      const account = await accounts.find(accountId);
      const isValid = isSignInStillValid(account, credentialEpoch) || isLeaving(account, credentialEpoch);
      return isValid ? { ...signIn, account } : undefined;
    },
    redeem(ctx, { id }) {
      ctx.cookies.set(cookie, null, attributes);
      const at = now();
      const used = { model: 'UsedSignIn', key: artifactKeyOf(id), payload: new Uint8Array() };
      return artifacts.insertOnce({ ...used, expiresAt: new Date(at.getTime() + TTL_MS) }, at);
    },
  };
}

function associatedDataOf(place: string): string {
  return `pending sign-in at ${place}`;
}
