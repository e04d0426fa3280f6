import { AppError } from '@keydesk/server';
import type { RouterContext } from '@koa/router';
import { isUuid } from '../../wire/uuid.ts';

/** Reads the id of the ticket in a path. @throws {AppError} `not_found` for anything but a UUID */
export function readTicketId(ctx: Pick<RouterContext, 'params'>): string {
  return readId(ctx, 'id', 'ticket');
}

/**
 * Reads an id from a path and converts it to lower case, the stored form: ids are case-insensitive (RFC 9562 §4).
 *
 * @param name path parameter
 * @param what kind of resource named in the error text
 * @throws {AppError} `not_found` for anything but a UUID
 */
export function readId({ params }: Pick<RouterContext, 'params'>, name: string, what: string): string {
  const id = (params[name] ?? '').toLowerCase();
  if (isUuid(id)) return id;
  throw new AppError('not_found', `There is no ${what} with this id.`);
}
