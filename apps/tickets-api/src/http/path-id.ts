import { AppError } from '@keydesk/http';
import type { RouterContext } from '@koa/router';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The id in a path, as it is kept: programs write ids in either case (RFC 9562 §4).
 *
 * @param name of the path's parameter
 * @param what it is the id of
 * @throws {AppError} `not_found` for what cannot be an id
 */
export function readId({ params }: Pick<RouterContext, 'params'>, name: string, what: string): string {
  const id = (params[name] ?? '').toLowerCase();
  if (uuid.test(id)) return id;
  throw new AppError('not_found', `There is no ${what} with this id.`);
}
