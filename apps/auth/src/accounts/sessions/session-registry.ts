import type { UpstreamLogOutRecord } from '../../artifacts/upstream-log-outs.ts';
import type { Device } from '../../values/device.ts';
import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { UpstreamSession } from '../account/authentication.ts';

/** A browser in which a user is signed in. */
export interface AccountSession {
  /** Identifies the session among those of its account. It gives no access. */
  id: string;
  device: Device;
  /** Network address of the last recorded request. */
  address: string;
  firstSeenAt: Date;
  /** Exact to five minutes. */
  lastSeenAt: Date;
  /** Clients with a grant that was given in this session. */
  clientIds: readonly string[];
  /** Session at another provider that opened it. */
  upstream?: UpstreamSession | undefined;
}

/** The account of sessions. Those of an earlier credential epoch are invalid. */
export type SessionOwner = Pick<Account, 'id' | 'credentialEpoch'>;

/** Port for the sessions of accounts. */
export interface SessionRegistry {
  /** Returns the sessions of an account, the last used first. */
  list(owner: SessionOwner): Promise<readonly AccountSession[]>;
  /**
   * Ends a session with its grants and their tokens, including artifacts that a request in flight still stores, and
   * notifies its clients. Exactly one of several concurrent calls gets `true`. An interrupted call can be repeated.
   */
  end(owner: SessionOwner, sessionId: string, origin: Origin): Promise<boolean>;
  /** Ends sign-ins in progress, which are not listed, after a log-out at a provider. */
  endUpstreamSignIns(logOut: UpstreamLogOutRecord): Promise<void>;
  /** Finds the account with sessions that a provider's session opened. */
  findAccountByUpstreamSid(upstream: { issuer: string; sid: string }): Promise<string | undefined>;
}
