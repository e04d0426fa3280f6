import { setTimeout as sleep } from 'node:timers/promises';
import {
  InvalidSecurityEventError,
  type SecurityEventToken,
  type SecurityEventVerifier,
} from '@keydesk/access-token';
import { type RepeatingTask, repeatTask } from '@keydesk/server';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Poll, pollTransmitter, type TransmitterOptions } from './poll-transmitter.ts';

/** Subject of an event: an account of the issuer. */
export type EventSubject = NonNullable<SecurityEventToken['subject']>;

/** Processes an event about an account. It is idempotent, because events may be delivered again. */
export type EventHandler = (subject: EventSubject) => Promise<void>;

export type EventOutcome = 'processed' | 'ignored' | 'rejected' | 'failed';

export interface ReceiverOptions {
  transmitter: TransmitterOptions;
  verifier: SecurityEventVerifier;
  issuer: string;
  /** Handlers by the URI of the event. Events without one are acknowledged and ignored (RFC 8417 §2.2). */
  handlers: Readonly<Record<string, EventHandler>>;
  log: Pick<Logger, 'warn' | 'error' | 'debug'>;
  /** Called once per event and delivery; feeds a metric. */
  onOutcome?: ((outcome: EventOutcome) => void) | undefined;
  /** Pause in milliseconds after the first failure, which doubles with each further one up to a minute. Default: 1 s. */
  retryMs?: number | undefined;
}

const MAX_EVENTS = 20;
/** A transmitter that stops lets no poll wait. */
const POLL_INTERVAL_MS = 250;
const MAX_RETRY_MS = 60_000;
/** Deliveries after which an event with an unknown key is rejected: the issuer may have just published the key. */
const MAX_KEY_ATTEMPTS = 7;
const MAX_REMEMBERED = 10_000;

/** Answers for the next poll. */
interface Answers {
  ack: string[];
  setErrs: Record<string, { err: string; description: string }>;
}

/**
 * Receives security events by polling (RFC 8936) until it is stopped. An event is acknowledged after it was processed,
 * so a killed process loses none. A failure pauses the polls; an invalid event is rejected, logged and not retried.
 */
export function startSecurityEventReceiver(options: ReceiverOptions): RepeatingTask {
  const { transmitter, log, onOutcome, retryMs = 1_000 } = options;
  const process = createEventProcessor(options);
  let answers: Answers = { ack: [], setErrs: {} };
  let failures = 0;

  async function poll(signal: AbortSignal): Promise<void> {
    const request: Poll = { maxEvents: MAX_EVENTS, ...answers };
    const received = await pollTransmitter(transmitter, request, signal);
    answers = { ack: [], setErrs: {} };
    let failure: unknown;
    for (const [jti, token] of received) {
      if (signal.aborted) return;
      try {
        await process(jti, token, answers);
      } catch (err) {
        onOutcome?.('failed');
        failure ??= err;
      }
    }
    if (failure !== undefined) throw failure;
  }

  async function pollOnce(signal: AbortSignal): Promise<void> {
    try {
      await poll(signal);
      failures = 0;
    } catch (err) {
      if (signal.aborted) return;
      failures += 1;
      log.warn({ err, failures }, 'security events could not be received or processed yet');
      const pauseMs = Math.min(retryMs * 2 ** (failures - 1), MAX_RETRY_MS);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  return repeatTask(pollOnce, { intervalMs: POLL_INTERVAL_MS, delayMs: 0 });
}

/** Creates the function that processes one token and adds its acknowledgement or rejection to the answers. */
function createEventProcessor({ verifier, issuer, handlers, log, onOutcome }: ReceiverOptions) {
  /** Processed events, which need no second run if only their acknowledgement was lost. */
  const processed = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  const keyAttempts = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  function reject(jti: string, { code, message }: InvalidSecurityEventError, answers: Answers): void {
    onOutcome?.('rejected');
    log.error({ jti, error: code, reason: message }, 'a security event was rejected');
    answers.setErrs[jti] = { err: code, description: message };
  }

  /** Whether the issuer may still publish the key of an event. */
  function mayVerifyLater(jti: string, { code }: InvalidSecurityEventError): boolean {
    if (code !== 'invalid_key') return false;
    const attempts = (keyAttempts.get(jti) ?? 0) + 1;
    keyAttempts.set(jti, attempts);
    return attempts < MAX_KEY_ATTEMPTS;
  }

  return async function processEvent(jti: string, token: string, answers: Answers): Promise<void> {
    if (!processed.has(jti)) {
      try {
        const event = await verifier.verify(token);
        onOutcome?.(await handle(event, { jti, issuer, handlers, log }));
        processed.set(jti, true);
      } catch (err) {
        if (!(err instanceof InvalidSecurityEventError) || mayVerifyLater(jti, err)) throw err;
        return reject(jti, err, answers);
      }
    }
    answers.ack.push(jti);
  };
}

/** @throws {InvalidSecurityEventError} when the event cannot be about an account of the issuer */
async function handle(
  { jti, events, subject }: SecurityEventToken,
  context: Pick<ReceiverOptions, 'issuer' | 'handlers' | 'log'> & { jti: string },
): Promise<EventOutcome> {
  if (jti !== context.jti)
    throw new InvalidSecurityEventError('invalid_request', 'The jti is not that of the delivery.');
  const known = Object.keys(events).flatMap((uri) =>
    Object.hasOwn(context.handlers, uri) ? [context.handlers[uri] as EventHandler] : [],
  );
  if (known.length === 0) {
    context.log.debug({ jti }, 'a security event of an unknown type was ignored');
    return 'ignored';
  }
  if (subject?.issuer !== context.issuer)
    throw new InvalidSecurityEventError('invalid_request', 'The subject is not an account of the issuer.');
  for (const handler of known) await handler(subject);
  return 'processed';
}
