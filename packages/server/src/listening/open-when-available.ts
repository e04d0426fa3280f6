import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@keydesk/errors';
import type { Logger } from 'pino';
import { createThrottle } from '../log/throttle.ts';
import { type ListenOptions, listen } from './listen.ts';

export interface OpenWhenAvailableOptions {
  /** Address that responds in the meantime; the app listens there afterwards. */
  listenOn: ListenOptions;
  log: Pick<Logger, 'error'>;
  /** Pause between two attempts. */
  pauseMs?: number;
}

const PAUSE_MS = 1_000;
const QUIET_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * Opens a storage whose server may start later than this process, as after a power failure. Until it is reachable,
 * `/healthz` responds 200, so that a supervisor does not restart the process, and everything else 503.
 *
 * @throws whatever `open` throws, except for an `AppError` `unavailable`, which is logged once a minute
 */
export async function openWhenAvailable<T>(
  open: () => Promise<T>,
  { listenOn, log, pauseMs = PAUSE_MS }: OpenWhenAvailableOptions,
): Promise<T> {
  const first = await attempt(open);
  if ('opened' in first) return first.opened;
  const mayLog = createThrottle(QUIET_MS);
  const waiting = await listen(answerUnavailable, listenOn);
  try {
    for (let { cause } = first; ; ) {
      if (mayLog()) log.error({ err: cause }, 'the storage is unavailable; waiting for it');
      await sleep(pauseMs);
      const next = await attempt(open);
      if ('opened' in next) return next.opened;
      cause = next.cause;
    }
  } finally {
    await waiting.close();
  }
}

async function attempt<T>(open: () => Promise<T>): Promise<{ opened: T } | { cause: AppError }> {
  try {
    return { opened: await open() };
  } catch (err) {
    if (err instanceof AppError && err.code === 'unavailable') return { cause: err };
    throw err;
  }
}

function answerUnavailable({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const isAlive = /(^|\/)healthz$/.test(url);
  const body = isAlive ? { status: 'ok' } : { status: 'unavailable', failing: ['storage'] };
  response.writeHead(isAlive ? 200 : 503, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    // The app has a listener of its own later.
    Connection: 'close',
    ...(!isAlive && { 'Retry-After': RETRY_AFTER_SECONDS }),
  });
  response.end(JSON.stringify(body));
}
