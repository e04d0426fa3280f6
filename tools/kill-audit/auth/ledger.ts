/** Acknowledged state of a user who signs up and authorizes an application. */
export interface Visit {
  readonly email: string;
  /** Set after a successful sign-in. */
  hasAccount: boolean;
  /** Code that the application received, and the monotonic time of its request. */
  code?: { value: string; verifier: string; requestedAt: number };
  /** All refresh tokens of the application, the newest last. */
  readonly refreshTokens: string[];
  /** The audit has used the code or token. */
  isUsedUp: boolean;
  /** A request was sent and not answered; it must be applied completely or not at all. */
  isInFlight: boolean;
}

/** Acknowledged state of a dynamically registered client. */
export interface Registration {
  readonly name: string;
  clientId?: string;
  /** Client configuration endpoint (RFC 7592 §3). */
  uri: string;
  token: string;
  secret: string;
  isRemoved: boolean;
  isInFlight: boolean;
}

/** Record of acknowledged requests. */
export interface Ledger {
  readonly visits: Visit[];
  readonly registrations: Registration[];
  /** Number of acknowledged requests by kind. */
  readonly acknowledged: Record<string, number>;
}

export function createLedger(): Ledger {
  return { visits: [], registrations: [], acknowledged: {} };
}
