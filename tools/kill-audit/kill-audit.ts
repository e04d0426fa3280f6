export interface KillAuditOptions {
  /** URL of an empty database. */
  storageUrl: string;
  /** Folder for files of the app outside of the database. */
  folder: string;
  kills: number;
  connections: number;
  onKill?: (kill: number, acknowledged: number) => void;
}

export interface KillAudit {
  kills: number;
  /** Number of acknowledged requests by kind. */
  acknowledged: Readonly<Record<string, number>>;
  /** Requests that a kill left unanswered. */
  unanswered: number;
  /** Lost or partial writes; must be empty. */
  faults: readonly string[];
}
