import { isDeepStrictEqual } from 'node:util';
import { AppError, type FieldError } from '@keydesk/errors';
import { isNamed, type Viewer } from '../people/viewer.ts';
import { type Right, toMissingRight, withRights } from '../roles/right.ts';
import type { NewTicket, Ticket, TicketChanges } from './ticket.ts';

/** Fields that customers may set on their own tickets; `creatable` has those of a new ticket. */
const changeable = new Set(['subject', 'description', 'priority', 'type', 'cc', 'custom_fields', 'status']);
const creatable = new Set([...changeable, 'requester', 'channel', 'follow_up_of']);

/**
 * Checks that a customer creates a ticket in their own name. Fields that equal `defaults` are accepted, so a client may
 * send a complete ticket.
 *
 * @throws {AppError} `forbidden` with every field that the customer may not set
 */
export function assertMayCreate(viewer: Viewer, input: NewTicket, defaults: NewTicket): void {
  if (viewer.isStaff) return;
  if (!viewer.person?.email) throw unverified();
  const given = pickDifferent(input, defaults);
  const refused = [
    ...namesOf(given).filter((name) => !creatable.has(name) || name === 'status'),
    ...namesOfClosed(viewer, {}, given.custom_fields),
    ...(input.requester !== null && !isNamed(viewer, input.requester) ? ['requester'] : []),
  ];
  refuse(
    refused.map((field) => toForbidden(field)),
    findMissingRights(viewer, given),
  );
}

/**
 * Checks that a customer may make the changes. Requesters change their own tickets; their rights decide whether they
 * may solve them and set the priority. People in copy only read and reply.
 *
 * @param changes only fields that differ from the view
 * @param view the ticket as the viewer sees it
 * @throws {AppError} `forbidden` with every field that the customer may not change
 */
export function assertMayChange(viewer: Viewer, changes: TicketChanges, view: Ticket): void {
  if (viewer.isStaff) return;
  if (view.requester?.id !== viewer.person?.id) {
    refuse(
      namesOf(changes).map((field) =>
        toForbidden(field, 'can be set only by the requester and staff; omit it'),
      ),
    );
  }
  const refused = [
    ...namesOf(changes).filter((name) => !changeable.has(name)),
    ...namesOfClosed(viewer, view.custom_fields, changes.custom_fields),
    ...(isCustomerStatus(viewer, changes.status) ? [] : ['status']),
  ];
  refuse(
    refused.map((field) => toForbidden(field)),
    findMissingRights(viewer, changes),
  );
}

/** @throws {AppError} `forbidden` unless the viewer is an agent or an administrator */
export function assertStaff({ isStaff }: Viewer, what: string): void {
  if (!isStaff) throw new AppError('forbidden', `Only agents and administrators may ${what}.`);
}

/** @throws {AppError} `forbidden` unless the viewer is an administrator */
export function assertAdmin({ role }: Viewer, what: string): void {
  if (role !== 'admin') throw new AppError('forbidden', `Only administrators may ${what}.`);
}

/** Error for a customer without a verified e-mail address. */
function unverified(): AppError {
  return new AppError(
    'forbidden',
    'Your e-mail address is not verified. Verify it, sign in again, and try again.',
  );
}

/** Returns the fields whose values differ from those in `original`. */
export function pickDifferent<Fields extends object>(fields: Fields, original: object): Partial<Fields> {
  const different = Object.entries(fields).filter(
    ([name, value]) => !isDeepStrictEqual(value, (original as Record<string, unknown>)[name]),
  );
  return Object.fromEntries(different) as Partial<Fields>;
}

/** Whether a customer may set this status; only solved ones are allowed. */
function isCustomerStatus({ definitions }: Viewer, id: string | undefined): boolean {
  return id === undefined || definitions.find({ kind: 'status', id })?.category === 'solved';
}

function namesOf(fields: object): string[] {
  return Object.keys(fields);
}

/** Returns the names of changed custom fields that customers may not set, whether or not the fields are defined. */
function namesOfClosed(
  { fields }: Viewer,
  from: Ticket['custom_fields'],
  to: Ticket['custom_fields'] = from,
): string[] {
  const names = new Set([...namesOf(from), ...namesOf(to)]);
  return [...names]
    .filter((key) => !fields.isEditable(key) && !isDeepStrictEqual(from[key], to[key]))
    .map((key) => `custom_fields.${key}`);
}

/** Returns the rights that these fields require and the customer's role lacks, by field. */
function findMissingRights({ rights, definitions }: Viewer, fields: TicketChanges): Map<string, Right> {
  const { status } = fields;
  const isSolving =
    status !== undefined && definitions.find({ kind: 'status', id: status })?.category === 'solved';
  const needed: [string, Right][] = [
    ...(isSolving ? [['status', 'solve_tickets'] as [string, Right]] : []),
    ...(fields.priority === undefined ? [] : [['priority', 'set_priority'] as [string, Right]]),
  ];
  return new Map(needed.filter(([, right]) => !rights[right]));
}

function toForbidden(field: string, message = 'cannot be set by customers; omit it'): FieldError {
  return { field, code: 'forbidden', message };
}

/** @throws {AppError} `forbidden` with every rejected field and the missing rights, if any */
function refuse(faults: readonly FieldError[], missing: ReadonlyMap<string, Right> = new Map()): void {
  const errors = [...faults, ...[...missing].map(([field, right]) => toMissingRight(field, right))];
  if (errors.length === 0) return;
  const fields = errors.map(({ field }) => field).join(', ');
  throw new AppError('forbidden', `You may not set ${fields}; see errors.`, {
    errors,
    ...withRights([...missing.values()]),
  });
}
