export interface KillAuditOptions {
  /** An empty database. */
  storageUrl: string;
  /** Where the app may write what is not for the database. */
  folder: string;
  kills: number;
  connections: number;
  onKill?: (kill: number, acknowledged: number) => void;
}

export interface KillAudit {
  kills: number;
  /** How many requests were acknowledged, by what they did. */
  acknowledged: Readonly<Record<string, number>>;
  /** Requests that a kill left unanswered. */
  unanswered: number;
  /** What was lost, or left in part; none may be. */
  faults: readonly string[];
}
