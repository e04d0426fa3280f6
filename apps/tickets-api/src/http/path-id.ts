import { AppError } from '@keydesk/http';
import type { RouterContext } from '@koa/router';
import { isUuid } from '../formats/uuid.ts';

/**
 * The id in a path, as it is kept: programs write ids in either case (RFC 9562 §4).
 *
 * @param name of the path's parameter
 * @param what it is the id of
 * @throws {AppError} `not_found` for what cannot be an id
 */
export function readId({ params }: Pick<RouterContext, 'params'>, name: string, what: string): string {
  const id = (params[name] ?? '').toLowerCase();
  if (isUuid(id)) return id;
  throw new AppError('not_found', `There is no ${what} with this id.`);
}
