import { setTimeout as sleep } from 'node:timers/promises';
import { repeatTask } from '@keydesk/server';
import Provider, { type Client } from 'oidc-provider';
import type { Logger } from 'pino';
import { createBackgroundTasks } from '../../accounts/account/background-tasks.ts';
import type { Audit } from '../../audit/audit.ts';
import type {
  ClaimedNotification,
  LogOutNotification,
  LogOutNotifications,
} from './log-out-notifications.ts';

export interface BackChannelLogOutOptions {
  notifications: LogOutNotifications;
  audit: Pick<Audit, 'record'>;
  now: () => Date;
  log: Logger;
}

/** Notifies applications that a user has signed out (OpenID Connect Back-Channel Logout §2.5). */
export interface BackChannelLogOut {
  attachTo(provider: Provider): void;
  /** Stops sending and leaves pending notifications to other processes; resolves when no request is in flight. */
  stop(): Promise<void>;
}

/** Method of oidc-provider's client that its types omit. Sends one logout token; rejects unless it was accepted. */
interface BackChannelClient {
  backchannelLogout(this: Client, accountId: string, sid: string): Promise<void>;
}

type Send = (notification: LogOutNotification) => Promise<'sent' | 'unwanted'>;

const RETRY_AFTER_MS = [1_000, 5_000];
/** Polling interval for notifications that CLI commands have queued. */
const POLL_MS = 2_000;
const MAX_PENDING = 1_000;

/**
 * Sends logout tokens in the background, so that log-out never waits for an application that does not respond. A failed
 * one is retried with a new token; the last failure is logged and recorded in the audit log.
 */
export function createBackChannelLogOut(options: BackChannelLogOutOptions): BackChannelLogOut {
  const { notifications, audit, now, log } = options;
  const stopping = new AbortController();
  const onError = (err: unknown) => log.error({ err }, 'log-out notifications could not be sent');
  const background = createBackgroundTasks({ maxPending: MAX_PENDING, onError });
  let send: Send | undefined;

  async function record(notification: LogOutNotification, isSent: boolean): Promise<void> {
    const { sid, ...subject } = notification;
    const type = isSent ? 'client.logout_token_sent' : 'client.logout_token_failed';
    await audit.record({ ...subject, type, at: now(), details: {} });
  }

  /**
   * Sends a notification with retries.
   *
   * @throws {Error} when the server stops in the meantime
   */
  async function sendWithRetries(notification: LogOutNotification, sendOnce: Send): Promise<void> {
    for (const delayMs of [...RETRY_AFTER_MS, undefined]) {
      try {
        if ((await sendOnce(notification)) === 'sent') await record(notification, true);
        return;
      } catch (err) {
        stopping.signal.throwIfAborted();
        if (delayMs !== undefined) await sleep(delayMs, undefined, { signal: stopping.signal });
        else {
          log.warn({ err, client_id: notification.clientId }, 'a log-out notification failed');
          await record(notification, false);
        }
      }
    }
  }

  async function deliver({ key, notification }: ClaimedNotification, sendOnce: Send): Promise<void> {
    try {
      await sendWithRetries(notification, sendOnce);
      await notifications.end(key);
    } catch (err) {
      await notifications.release(key);
      if (!stopping.signal.aborted) throw err;
    }
  }

  async function deliverAll(): Promise<void> {
    const sendOnce = send;
    if (!sendOnce || stopping.signal.aborted) return;
    for (const claimed of await notifications.claim()) background.run(() => deliver(claimed, sendOnce));
  }

  const delivering = repeatTask(() => deliverAll().catch(onError), { intervalMs: POLL_MS });
  return {
    attachTo(provider) {
      const notified = provider.Client.prototype as Client & BackChannelClient;
      const sendToken = notified.backchannelLogout;
      send = async ({ accountId, clientId, sid }) => {
        const client = await provider.Client.find(clientId);
        if (client?.backchannelLogoutUri === undefined) return 'unwanted';
        await sendToken.call(client, accountId, sid);
        return 'sent';
      };
      notified.backchannelLogout = async function notifyLater(accountId, sid) {
        await notifications.add([
          { accountId, clientId: this.clientId, sid, actor: accountId, ...originOfRequest() },
        ]);
        background.run(deliverAll);
      };
    },
    async stop() {
      stopping.abort();
      await delivering.stop();
      await background.idle();
    },
  };
}

function originOfRequest(): Pick<LogOutNotification, 'address' | 'requestId'> {
  const { ip, state } = Provider.ctx ?? {};
  return { address: ip ?? null, requestId: typeof state?.requestId === 'string' ? state.requestId : null };
}
