/** What the server has acknowledged of somebody who signs up and lets an application in. */
export interface Visit {
  readonly email: string;
  /** Set once a sign-in has shown that the account is there. */
  hasAccount: boolean;
  /** The code that the application was sent, once it was. */
  code?: { value: string; verifier: string };
  /** Every refresh token that the application was given, the newest last. */
  readonly refreshTokens: string[];
  /** The audit has used what could be used. */
  isUsedUp: boolean;
  /** A request was sent and not answered: it counts wholly or not at all. */
  isInFlight: boolean;
}

/** What the server has acknowledged of a client that a program registers. */
export interface Registration {
  readonly name: string;
  clientId?: string;
  /** Where it is managed, and by which token (RFC 7592 §3). */
  uri: string;
  token: string;
  secret: string;
  isRemoved: boolean;
  isInFlight: boolean;
}

/** What the writers were told. */
export interface Ledger {
  readonly visits: Visit[];
  readonly registrations: Registration[];
  /** Acknowledged requests by what they did. */
  readonly acknowledged: Record<string, number>;
}

export function createLedger(): Ledger {
  return { visits: [], registrations: [], acknowledged: {} };
}
