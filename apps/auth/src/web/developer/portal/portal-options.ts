import { AppError } from '@keydesk/server';
import type { Context } from 'koa';
import type { ApplicationView } from '../../../pages/views/applications.ts';
import type { PageParts } from '../../kit/page-parts.ts';
import type { Applications } from './applications.ts';
import type { Invitations } from './invitations.ts';

/** Dependencies of the developer portal's pages. */
export interface PortalOptions {
  parts: PageParts;
  /** Returns the applications of the signed-in user, with audit records. */
  applicationsOf(ctx: Context): Applications;
  /** Returns the invitations that the signed-in user sends and receives. */
  invitationsOf(ctx: Context): Invitations;
  /** Number of applications that a user may register. */
  limit: number;
  server: ApplicationView['server'];
  now: () => Date;
}

/** Whether an operation was rejected because of the current state. */
export function isConflict(err: unknown): boolean {
  return err instanceof AppError && err.code === 'conflict';
}

/** Returns the application's id from the path. */
export function idOf(ctx: Context): string {
  return String(ctx.params.id);
}
