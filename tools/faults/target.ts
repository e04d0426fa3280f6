/** An app under load, with a ledger of what it acknowledged. */
export interface Target {
  /** Name of its workspace. */
  app: 'tickets-api' | 'auth';
  /** Environment besides its port. */
  env: Readonly<Record<string, string>>;
  /** Number of acknowledged requests by kind. */
  acknowledged: Readonly<Record<string, number>>;
  /** Writes on one connection until `isOver` returns true; after a failure it waits and continues. */
  write(isOver: () => boolean): Promise<void>;
  /** Opens the database, repeats what was not answered, and returns what was lost, doubled or applied in part since the last call. */
  verify(): Promise<readonly string[]>;
  /** Returns the request head of an event stream, if the app has one. */
  stream?: () => string;
  stop(): Promise<void>;
}

/** Where a target runs. */
export interface TargetOptions {
  /** URL that clients use. */
  url: string;
  /** URL of the database for the app, which a fault may separate from it. */
  storageUrl: string;
  /** URL of the database for the verification. */
  directUrl: string;
  /** Folder for files of the app outside of the database. */
  folder: string;
}

/** Pause after a 503; it is the `Retry-After` of most. */
export const PAUSE_MS = 1_000;
