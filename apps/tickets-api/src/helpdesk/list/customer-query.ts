import { AppError } from '@keydesk/errors';
import type { Viewer } from '../people/viewer.ts';
import type { TicketQuery } from '../tickets/ticket-store.ts';
import { type FieldName, type FilterField, filterFields, listConditions } from './ticket-filter.ts';

/**
 * Restricts a query to tickets that the customer sees; `undefined` when it can match nothing. `typeFilter` rejects
 * custom fields hidden from customers as unknown.
 *
 * @throws {AppError} `forbidden` when the filter names a field hidden from customers, whether or not a ticket matches
 */
export function toCustomerQuery({ person }: Viewer, query: TicketQuery): TicketQuery | undefined {
  const hidden = listConditions(query.filter)
    .map(([name]) => name)
    .filter((name) => !isVisible(name));
  if (hidden.length > 0) throw notVisible(hidden);
  return person && { ...query, reader: person.id };
}

function isVisible(name: FieldName): boolean {
  const field: FilterField = filterFields[name];
  return field.isPublic;
}

function notVisible(names: readonly string[]): AppError {
  const message = 'is visible to staff only; omit it';
  const errors = names.map((field) => ({ field, code: 'forbidden', message }));
  return new AppError('forbidden', 'Customers can filter tickets by visible fields only; see errors.', {
    errors,
  });
}
