import { setTimeout as sleep } from 'node:timers/promises';
import Provider, { type Client } from 'oidc-provider';
import type { Logger } from 'pino';
import { createBackground } from '../accounts/background.ts';
import type { Audit } from '../audit/audit.ts';
import type { AuditEvent } from '../audit/audit-event.ts';

export interface BackChannelLogOutOptions {
  audit: Pick<Audit, 'record'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
  log: Logger;
}

/** Tells applications that somebody has signed out (OpenID Connect Back-Channel Logout §2.5). */
export interface BackChannelLogOut {
  attachTo(provider: Provider): void;
  /** Gives up what waits to be tried again; resolves when nothing is under way. */
  stop(): Promise<void>;
}

/** The library's method, which its types leave out: sends one logout token, and rejects unless it was taken. */
interface Notified {
  backchannelLogout(this: Client, accountId: string, sid: string): Promise<void>;
}

type Told = { accountId: string } & Pick<AuditEvent, 'clientId' | 'address' | 'requestId'>;

const RETRY_AFTER_MS = [1_000, 5_000];
const MAX_PENDING = 1_000;

/**
 * Logout tokens go out behind the person's back: nobody waits at log-out for applications that do not answer. One that
 * fails is tried again, with a new token each time; when it fails to the end, that is logged and in the audit record.
 */
export function createBackChannelLogOut({ audit, clock, log }: BackChannelLogOutOptions): BackChannelLogOut {
  const stopping = new AbortController();
  const background = createBackground({
    maxPending: MAX_PENDING,
    onError: (err) => log.error({ err }, 'applications could not be told of a log-out'),
  });

  async function sendUntilTaken(send: () => Promise<void>): Promise<unknown> {
    let failure: unknown;
    for (const delayMs of [0, ...RETRY_AFTER_MS]) {
      try {
        await sleep(delayMs, undefined, { signal: stopping.signal });
        await send();
        return undefined;
      } catch (err) {
        failure = stopping.signal.aborted ? (failure ?? err) : err;
      }
    }
    return failure;
  }

  async function notify(told: Told, send: () => Promise<void>): Promise<void> {
    const failure = await sendUntilTaken(send);
    if (failure !== undefined)
      log.warn({ err: failure, client_id: told.clientId }, 'an application was not told of a log-out');
    const type = failure === undefined ? 'client.logout_token_sent' : 'client.logout_token_failed';
    await audit.record({ ...told, actor: told.accountId, type, at: new Date(clock()), details: {} });
  }

  return {
    attachTo({ Client: { prototype } }) {
      const notified = prototype as Client & Notified;
      const sendToken = notified.backchannelLogout;
      notified.backchannelLogout = async function notifyLater(accountId, sid) {
        const told = { accountId, clientId: this.clientId, ...whereFrom() };
        background.run(() => notify(told, () => sendToken.call(this, accountId, sid)));
      };
    },
    async stop() {
      stopping.abort();
      await background.idle();
    },
  };
}

function whereFrom(): Pick<Told, 'address' | 'requestId'> {
  const { ip, state } = Provider.ctx ?? {};
  return { address: ip ?? null, requestId: typeof state?.requestId === 'string' ? state.requestId : null };
}
