import { AppError, type FieldError } from '@keydesk/http';
import { type Body, createInputParser } from '../formats/input.ts';
import type { JsonObject } from '../formats/json-object.ts';
import { applyMergePatch } from '../formats/merge-patch.ts';
import {
  newTicketSchema,
  type Ticket,
  type TicketChanges,
  type TicketEdit,
  ticketEditSchema,
} from './ticket.ts';
import { staleVersion } from './tickets.ts';

/** The read-only members that a request may send back as they were read. */
type ReadOnly = Partial<Record<'id' | 'created_at' | 'updated_at' | 'version', unknown>>;

/** Reads a new ticket from a body. @throws {AppError} `validation_failed` with every fault */
export const parseNewTicket = createInputParser(newTicketSchema);

const parseEdit = createInputParser(ticketEditSchema);

/** Reads the body of a `PUT`. @throws {AppError} `validation_failed` with every fault */
export function parseTicketEdit(body: Body): TicketEdit {
  return parseEdit(body) as TicketEdit;
}

/**
 * The changes that a `PUT` asks for.
 *
 * @throws {AppError} `precondition_failed` for an outdated copy, `validation_failed` for another `id` or `created_at`
 */
export function toChanges(current: Ticket, edit: TicketEdit): TicketChanges {
  const { id, created_at, updated_at, version, ...changes } = edit;
  checkReadOnly(current, { id, created_at, updated_at, version });
  return changes;
}

/**
 * The changes that a merge patch asks for: what it makes of the writable fields, with the default where it removes one.
 *
 * @throws {AppError} as `toChanges`
 */
export function toPatchedChanges(current: Ticket, patch: JsonObject): TicketChanges {
  const { id, created_at, updated_at, version, ...changes } = patch;
  checkReadOnly(current, { id, created_at, updated_at, version });
  const { id: _id, created_at: _createdAt, updated_at: _updatedAt, version: _version, ...writable } = current;
  return parseNewTicket({ format: 'json', value: applyMergePatch(writable, changes) });
}

/** An old `version` or `updated_at` means that the caller edited an outdated copy. */
function checkReadOnly(current: Ticket, given: ReadOnly): void {
  const differs = (name: keyof ReadOnly) => given[name] !== undefined && given[name] !== current[name];
  const errors: FieldError[] = (['id', 'created_at'] as const)
    .filter(differs)
    .map((field) => ({ field, code: 'read_only', message: `cannot be changed; it is ${current[field]}` }));
  if (errors.length > 0)
    throw new AppError('validation_failed', 'Read-only fields cannot be changed; see errors.', { errors });
  if (differs('version') || differs('updated_at')) throw staleVersion(current);
}
