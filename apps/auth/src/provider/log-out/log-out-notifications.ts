import { openPayload, sealPayload } from '../../artifacts/artifact-payload.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { AuditEvent } from '../../audit/audit-event.ts';
import type { Sealer } from '../../keys/sealing.ts';

export interface LogOutNotificationsOptions {
  artifacts: Pick<ArtifactStore, 'upsert' | 'insertOnce' | 'find' | 'findByModel' | 'destroy'>;
  sealer: Sealer;
  now: () => Date;
  newId: () => string;
}

/** Log-out notification of one session at one client, with the actor and origin of the log-out. */
export type LogOutNotification = { accountId: string; clientId: string; sid: string } & Pick<
  AuditEvent,
  'actor' | 'address' | 'requestId'
>;

/** A notification claimed by one process. */
export interface ClaimedNotification {
  key: string;
  notification: LogOutNotification;
}

/**
 * Queue of log-out notifications. It is stored, so that it survives the process and CLI commands can leave sending to
 * the running servers. A notification that is not sent within a day expires.
 */
export interface LogOutNotifications {
  /** Adds notifications; resolves when they are durable. */
  add(notifications: readonly LogOutNotification[]): Promise<void>;
  /** Claims notifications for a minute, or until they are ended. Each goes to only one process. */
  claim(): Promise<readonly ClaimedNotification[]>;
  /** Releases a notification that was not sent. */
  release(key: string): Promise<void>;
  /** Removes a notification that was sent or given up. */
  end(key: string): Promise<void>;
}

const MODEL = 'LogOutNotice';
const CLAIM_MODEL = 'LogOutNoticeClaim';
const ONE_DAY_MS = 86_400_000;
/** Longer than all attempts to send a notification. */
const CLAIM_MS = 60_000;
const BATCH = 100;

export function createLogOutNotifications(options: LogOutNotificationsOptions): LogOutNotifications {
  const { artifacts, sealer, now, newId } = options;
  const inMs = (milliseconds: number) => new Date(now().getTime() + milliseconds);

  const release = (key: string) => artifacts.destroy(CLAIM_MODEL, key);

  return {
    async add(notifications) {
      const added = notifications.map((notification) => {
        const key = newId();
        const payload = sealPayload(sealer, { model: MODEL, key }, notification);
        return artifacts.upsert({ model: MODEL, key, payload, expiresAt: inMs(ONE_DAY_MS) });
      });
      await Promise.all(added);
    },
    async claim() {
      const claimed: ClaimedNotification[] = [];
      for (const found of await artifacts.findByModel(MODEL, inMs(0), BATCH)) {
        const claim = { model: CLAIM_MODEL, key: found.key, payload: new Uint8Array() };
        if (!(await artifacts.insertOnce({ ...claim, expiresAt: inMs(CLAIM_MS) }, inMs(0)))) continue;
        // The process that held it may have ended it, and its claim, in the meantime.
        if (await artifacts.find(MODEL, found.key, inMs(0)))
          claimed.push({ key: found.key, notification: openPayload(sealer, found) });
        else await release(found.key);
      }
      return claimed;
    },
    release,
    async end(key) {
      await artifacts.destroy(MODEL, key);
      await release(key);
    },
  };
}
