import { isDeepStrictEqual } from 'node:util';
import { toChangeTime } from '../commit/change-time.ts';
import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { FieldSet } from '../fields/field-set.ts';
import { toCustomerContent } from './customer-view.ts';
import type { Ticket } from './ticket.ts';

export interface FirstRecordOptions {
  /** The client within which the external id must be unique. */
  claimant?: string | undefined;
  /** Ids of people on the ticket who are or were staff. */
  staff?: ReadonlySet<string>;
}

/** Creates the record of the first version of a ticket. */
export function firstRecord(
  ticket: Ticket,
  { claimant, staff = nobody }: FirstRecordOptions = {},
): TicketRecord {
  return Object.freeze({
    ticket: Object.freeze(ticket),
    publicVersion: 1,
    publicUpdatedAt: ticket.updated_at,
    ...toClaim(ticket, claimant),
    ...toStaffIds(ticket, staff),
  });
}

export interface NextRecordOptions {
  now: Date;
  isPublicReply: boolean;
  fields: FieldSet;
  /** The client within which the external id must be unique; by default that of the previous version. */
  claimant?: string | undefined;
  /** Ids of people who are or were staff; covers at least the people new to the ticket. */
  staff?: ReadonlySet<string>;
}

/**
 * Creates the record of the next version of a ticket. The public version increases only when the customer view changes
 * or a public reply is added, changed or removed.
 */
export function nextRecord(
  before: TicketRecord,
  content: Ticket,
  { now, isPublicReply, fields, claimant = before.externalIdClient, staff = nobody }: NextRecordOptions,
): TicketRecord {
  const { version, updated_at, created_at: createdAt } = before.ticket;
  const masked = toStaffIds(content, staff.union(new Set(before.staffIds)));
  const shown = toCustomerContent({ ticket: { ...content, version, updated_at }, ...masked }, fields);
  const isPublic = isPublicReply || !isDeepStrictEqual(shown, toCustomerContent(before, fields));
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
    ...masked,
  });
}

/** Returns the ids of the people whose addresses customers see on a ticket unless they are masked. */
export function listShownPeople({ requester, cc }: Ticket): readonly string[] {
  return [...(requester ? [requester.id] : []), ...cc.map(({ id }) => id)];
}

const nobody: ReadonlySet<string> = new Set();

function toStaffIds(ticket: Ticket, staff: ReadonlySet<string>): Pick<TicketRecord, 'staffIds'> {
  const staffIds = [...new Set(listShownPeople(ticket))].filter((id) => staff.has(id));
  return staffIds.length > 0 ? { staffIds } : {};
}

function toClaim({ external_id }: Ticket, claimant: string | undefined) {
  return external_id !== null && claimant !== undefined && { externalIdClient: claimant };
}

/** Whether customers see a difference between two versions. */
export function isPublicChange(before: TicketRecord, after: TicketRecord): boolean {
  return before.publicVersion !== after.publicVersion;
}
