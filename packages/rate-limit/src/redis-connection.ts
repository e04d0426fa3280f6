import { createRequire } from 'node:module';
import type { Redis, RedisOptions } from 'ioredis';

/**
 * Time limit of a command. After a script flush, one `consume` takes two commands, which together must stay within
 * the 300 ms that a limit may delay a request.
 */
const COMMAND_TIMEOUT_MS = 150;
const CONNECT_TIMEOUT_MS = 2_000;
/** Time without a response after which a connection is replaced, such as after a failover. */
const SILENCE_TIMEOUT_MS = 1_000;
const RECONNECT_DELAY_STEP_MS = 100;
const RECONNECT_DELAY_MAX_MS = 1_000;
const PROBE_INTERVAL_MS = 1_000;

const boundedOptions = {
  enableOfflineQueue: false,
  commandTimeout: COMMAND_TIMEOUT_MS,
  maxRetriesPerRequest: 1,
  // A command may have been counted before the connection broke; sent again, it would count twice.
  autoResendUnfulfilledCommands: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SILENCE_TIMEOUT_MS,
  disconnectTimeout: COMMAND_TIMEOUT_MS,
  retryStrategy: (attempt: number) => Math.min(attempt * RECONNECT_DELAY_STEP_MS, RECONNECT_DELAY_MAX_MS),
} satisfies RedisOptions;

/** Logger for the start and end of an outage; compatible with pino. */
export interface RedisLog {
  warn(details: object, message: string): void;
  info(message: string): void;
}

/** A connection to Redis with outage detection. */
export interface RedisConnection {
  /** Client whose commands fail at once without a connection, and after 150 ms without a response. */
  readonly client: Redis;
  /** Returns false without a connection, and after a failure until the failed operation succeeds again. */
  isUsable(): boolean;
  /**
   * Reports a failed operation. `retry` runs every second until it succeeds, so that no request has to probe Redis; it
   * must have no effect on data.
   */
  reportFailure(err: unknown, retry: () => Promise<unknown>): void;
  /** Closes the connection; commands in flight fail. */
  close(): void;
}

/**
 * Opens a connection to `redis://` or `rediss://` in the background and reconnects when needed. It never throws: an
 * outage is logged once when it starts and once when it ends.
 */
export function openRedis(url: string, { log }: { log?: RedisLog | undefined } = {}): RedisConnection {
  // Loaded here, so that programs without Redis do not hold the library.
  const { Redis } = createRequire(import.meta.url)('ioredis') as typeof import('ioredis');
  const client = new Redis(url, boundedOptions);
  let isDown = false;
  let probing: NodeJS.Timeout | undefined;

  function reportFailure(err: unknown, retry: () => Promise<unknown>): void {
    if (isDown) return;
    isDown = true;
    probing = setInterval(() => retry().then(recover, () => 'still down'), PROBE_INTERVAL_MS).unref();
    // Logs only the message: the error of ioredis contains the command, and that of AUTH the password.
    const reason = err instanceof Error ? err.message : String(err);
    log?.warn({ reason }, 'Redis is unavailable: each process applies limits and replay checks separately');
  }

  function recover(): void {
    if (!isDown) return;
    isDown = false;
    clearInterval(probing);
    log?.info('Redis is available again: processes share limits and replay checks');
  }

  client.on('error', (err) => reportFailure(err, () => client.ping()));

  return {
    client,
    isUsable: () => !isDown && client.status === 'ready',
    reportFailure,
    close() {
      isDown = true;
      clearInterval(probing);
      client.disconnect();
    },
  };
}
