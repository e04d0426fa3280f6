import { Redis, type RedisOptions } from 'ioredis';

/**
 * With a script that Redis has forgotten, one consume is two commands: both together stay within the 300 ms that a
 * limit may cost a request.
 */
const COMMAND_TIMEOUT_MS = 150;
const CONNECT_TIMEOUT_MS = 2_000;
/** A connection that owes an answer and brings nothing for so long is replaced, as after a fail-over. */
const SILENCE_TIMEOUT_MS = 1_000;
const RECONNECT_DELAY_STEP_MS = 100;
const RECONNECT_DELAY_MAX_MS = 1_000;
const PROBE_INTERVAL_MS = 1_000;

const boundedOptions = {
  enableOfflineQueue: false,
  commandTimeout: COMMAND_TIMEOUT_MS,
  maxRetriesPerRequest: 1,
  // What was sent may have been counted: sent again, it would count twice.
  autoResendUnfulfilledCommands: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SILENCE_TIMEOUT_MS,
  disconnectTimeout: COMMAND_TIMEOUT_MS,
  retryStrategy: (attempt: number) => Math.min(attempt * RECONNECT_DELAY_STEP_MS, RECONNECT_DELAY_MAX_MS),
} satisfies RedisOptions;

/** Where the beginning and the end of an outage are told; a pino logger is one. */
export interface RedisLog {
  warn(details: object, message: string): void;
  info(message: string): void;
}

/** A connection to Redis that knows whether Redis is worth asking. */
export interface RedisConnection {
  /** Its commands fail at once without a connection, and after 150 ms without an answer. */
  readonly client: Redis;
  /** False while there is no connection, and from a failure on until Redis does again what it failed to do. */
  isUsable(): boolean;
  /**
   * Tells that Redis failed to do something. `retry`, which must have no effect, is tried every second, so that no
   * request waits for Redis to find out whether it does it again.
   */
  reportFailure(err: unknown, retry: () => Promise<unknown>): void;
  /** Gives the connection up; whatever is in flight fails. */
  close(): void;
}

/**
 * Opens a connection to `redis://` or `rediss://` in the background and keeps it open. Whether Redis is there, and
 * what becomes of it, never throws: an outage is logged once when it begins and once when it is over.
 */
export function openRedis(url: string, { log }: { log?: RedisLog | undefined } = {}): RedisConnection {
  const client = new Redis(url, boundedOptions);
  let isDown = false;
  let probing: NodeJS.Timeout | undefined;

  function reportFailure(err: unknown, retry: () => Promise<unknown>): void {
    if (isDown) return;
    isDown = true;
    probing = setInterval(() => retry().then(recover, () => 'still down'), PROBE_INTERVAL_MS).unref();
    // Only the message: ioredis puts the command on the error, and with a refused AUTH that is the password.
    const reason = err instanceof Error ? err.message : String(err);
    log?.warn({ reason }, 'Redis does not answer: each process judges limits and replays alone');
  }

  function recover(): void {
    if (!isDown) return;
    isDown = false;
    clearInterval(probing);
    log?.info('Redis answers again: limits and replays are judged together');
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
