import { z } from 'zod';
import { type RejectionCode, rejectionCodes } from './security-event.ts';

/** A poll for events, with acknowledgements of earlier ones (RFC 8936 §2.2). */
export interface PollRequest {
  /** Maximum number of events in the response; 0: none, only acknowledgements. */
  maxEvents: number;
  /** Whether the response must not wait for an event. */
  returnImmediately: boolean;
  /** Ids (`jti`) of accepted events. */
  acknowledged: readonly string[];
  /** Ids of events that the receiver cannot process. */
  rejected: readonly { id: string; code: RejectionCode }[];
}

/** The poll is invalid; the message names the fault and repeats nothing of the request. */
export class PollRequestError extends Error {
  override name = 'PollRequestError';
}

const MAX_EVENTS = 100;
const MAX_IDS = 1_000;

const jti = z.string().min(1).max(64);

const schema = z.object({
  maxEvents: z.int().min(0).default(MAX_EVENTS),
  returnImmediately: z.boolean().default(false),
  ack: z.array(jti).max(MAX_IDS).default([]),
  setErrs: z
    .record(jti, z.object({ err: z.string() }))
    .refine((errors) => Object.keys(errors).length <= MAX_IDS)
    .default({}),
});

/**
 * Reads the members of a poll; unknown ones are ignored (RFC 8936 §2.2).
 *
 * @throws {PollRequestError}
 */
export function parsePollRequest(body: unknown): PollRequest {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new PollRequestError(describeFault(parsed.error));
  const { maxEvents, returnImmediately, ack, setErrs } = parsed.data;
  const rejected = Object.entries(setErrs).map(([id, { err }]) => ({ id, code: toCode(err) }));
  return { maxEvents: Math.min(maxEvents, MAX_EVENTS), returnImmediately, acknowledged: ack, rejected };
}

function describeFault({ issues }: z.ZodError): string {
  const member = issues.at(0)?.path.at(0);
  return member === undefined
    ? 'The poll must be a JSON object.'
    : `The member ${String(member)} of the poll is invalid; see RFC 8936 §2.2.`;
}

function toCode(err: string): RejectionCode {
  return rejectionCodes.find((code) => code === err) ?? 'other';
}
