import { AppError } from '@keydesk/server';
import type { RouterContext } from '@koa/router';
import { ExternalIdInUse } from '../../helpdesk/tickets/external-id.ts';
import { toTicketUrl } from './responses.ts';

/**
 * Adds the URL of the ticket with the external id to `external_id_in_use`. Only staff can receive this error.
 *
 * @throws {AppError} `external_id_in_use`, and all other errors of `act`
 */
export async function locateHolder<Result>(
  ctx: RouterContext,
  baseUrl: string,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } catch (err) {
    if (!(err instanceof ExternalIdInUse)) throw err;
    const { id, deleted_at } = err.ticket;
    const query = deleted_at === null ? '' : '?deleted=true';
    const resource_url = toTicketUrl(ctx, baseUrl, id) + query;
    throw new AppError(err.code, err.message, { cause: err, extensions: { resource_url } });
  }
}
