import { isDeepStrictEqual } from 'node:util';
import type { FieldSet } from '../fields/field-set.ts';
import { toChangeTime } from './change-time.ts';
import { toCustomerContent } from './customer-view.ts';
import type { Ticket } from './ticket.ts';
import type { TicketRecord } from './ticket-commit.ts';

/**
 * The first version of a ticket.
 *
 * @param claimant the client within which its external id is to be unique
 */
export function firstRecord(ticket: Ticket, claimant?: string): TicketRecord {
  return Object.freeze({
    ticket: Object.freeze(ticket),
    publicVersion: 1,
    publicUpdatedAt: ticket.updated_at,
    ...toClaim(ticket, claimant),
  });
}

export interface NextRecordOptions {
  now: Date;
  isPublicReply: boolean;
  fields: FieldSet;
  /** The client within which its external id is to be unique; by default the one of before. */
  claimant?: string | undefined;
}

/**
 * The next version of a ticket. What customers are told of its versions counts only what they see: another content, or
 * that a public reply was added, changed or removed.
 */
export function nextRecord(
  before: TicketRecord,
  content: Ticket,
  { now, isPublicReply, fields, claimant = before.externalIdClient }: NextRecordOptions,
): TicketRecord {
  const { version, updated_at, created_at: createdAt } = before.ticket;
  const shown = toCustomerContent({ ...content, version, updated_at }, fields);
  const isPublic = isPublicReply || !isDeepStrictEqual(shown, toCustomerContent(before.ticket, fields));
  const { publicVersion, publicUpdatedAt } = before;
  return Object.freeze({
    ticket: Object.freeze({
      ...content,
      updated_at: toChangeTime(updated_at, { createdAt, now }),
      version: version + 1,
    }),
    publicVersion: isPublic ? publicVersion + 1 : publicVersion,
    publicUpdatedAt: isPublic ? toChangeTime(publicUpdatedAt, { createdAt, now }) : publicUpdatedAt,
    ...toClaim(content, claimant),
  });
}

function toClaim({ external_id }: Ticket, claimant: string | undefined) {
  return external_id !== null && claimant !== undefined && { externalIdClient: claimant };
}

/** Whether customers have seen a difference between two versions. */
export function isPublicChange(before: TicketRecord, after: TicketRecord): boolean {
  return before.publicVersion !== after.publicVersion;
}
