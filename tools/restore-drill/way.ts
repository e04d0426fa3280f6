import type { StorageUrls } from '../side-by-side/deployment.ts';

export type App = keyof StorageUrls;

/** A way to back up and restore the databases of both apps. */
export interface Way {
  name: string;
  /** Databases that the apps use. */
  storage: StorageUrls;
  /** Backs up one database while it is written; resolves when the backup is complete. */
  backUp(app: App): Promise<void>;
  /** Kills its own processes together with the apps, as if their machine had failed. */
  fail?(): Promise<void>;
  /** Replaces the databases by the backups, before the apps start again. */
  restore(): Promise<void>;
  stop?(): Promise<void>;
}

/** Both apps with the names of their workspaces. */
export const apps = [
  ['auth', 'auth'],
  ['api', 'tickets-api'],
] as const;
