import type { AuditEvent } from '../audit/audit-event.ts';
import type { Sealer } from '../keys/sealing.ts';
import { openPayload, sealPayload } from './artifact-payload.ts';
import type { ArtifactStore } from './artifact-store.ts';

export interface LogOutNoticesOptions {
  artifacts: Pick<ArtifactStore, 'upsert' | 'insertOnce' | 'find' | 'findOfModel' | 'destroy'>;
  sealer: Sealer;
  /** Milliseconds since the epoch. */
  clock: () => number;
  newId: () => string;
}

/** A session of somebody at a client has ended, of which the client is to be told; and who ended it, from where. */
export type LogOutNotice = { accountId: string; clientId: string; sid: string } & Pick<
  AuditEvent,
  'actor' | 'address' | 'requestId'
>;

/** A notice that one process is at. */
export interface ClaimedNotice {
  key: string;
  notice: LogOutNotice;
}

/**
 * What applications have yet to be told of log-outs: kept in the store, so that it outlives the process, and so that
 * commands can leave it to the servers that run. One that no server sends within a day is gone.
 */
export interface LogOutNotices {
  /** Resolves when they are durable. */
  add(notices: readonly LogOutNotice[]): Promise<void>;
  /** Notices that no process is at. They are the caller's until it ends them, or for a minute. */
  claim(): Promise<readonly ClaimedNotice[]>;
  /** Gives one back that was not sent. */
  release(key: string): Promise<void>;
  /** It was sent, or there is no sense in trying any longer. */
  end(key: string): Promise<void>;
}

const MODEL = 'LogOutNotice';
const CLAIM_MODEL = 'LogOutNoticeClaim';
const ONE_DAY_MS = 86_400_000;
/** Longer than all attempts to send one take. */
const CLAIM_MS = 60_000;
const BATCH = 100;

export function createLogOutNotices(options: LogOutNoticesOptions): LogOutNotices {
  const { artifacts, sealer, clock, newId } = options;
  const inMs = (milliseconds: number) => new Date(clock() + milliseconds);

  const release = (key: string) => artifacts.destroy(CLAIM_MODEL, key);

  return {
    async add(notices) {
      const added = notices.map((notice) => {
        const key = newId();
        const payload = sealPayload(sealer, { model: MODEL, key }, notice);
        return artifacts.upsert({ model: MODEL, key, payload, expiresAt: inMs(ONE_DAY_MS) });
      });
      await Promise.all(added);
    },
    async claim() {
      const claimed: ClaimedNotice[] = [];
      for (const found of await artifacts.findOfModel(MODEL, inMs(0), BATCH)) {
        const claim = { model: CLAIM_MODEL, key: found.key, payload: new Uint8Array() };
        if (!(await artifacts.insertOnce({ ...claim, expiresAt: inMs(CLAIM_MS) }, inMs(0)))) continue;
        // Whoever was at it when it was found may have ended it by now, and its claim with it.
        if (await artifacts.find(MODEL, found.key, inMs(0)))
          claimed.push({ key: found.key, notice: openPayload(sealer, found) });
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
