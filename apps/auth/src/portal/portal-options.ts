import { AppError } from '@keydesk/http';
import type { Context } from 'koa';
import type { PageParts } from '../account-pages/page-parts.ts';
import type { ApplicationView } from '../pages/views/applications.ts';
import type { Applications } from './applications.ts';
import type { Invitations } from './invitations.ts';

/** What the pages of the portal are made of. */
export interface PortalOptions {
  parts: PageParts;
  /** What the person who is signed in does with their own applications, in the audit record. */
  applicationsOf(ctx: Context): Applications;
  /** Invitations that the person who is signed in sends, and that were sent to them. */
  invitationsOf(ctx: Context): Invitations;
  /** How many a person may register. */
  limit: number;
  server: ApplicationView['server'];
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/** Whether a use case refused because of the state that things are in. */
export function isConflict(err: unknown): boolean {
  return err instanceof AppError && err.code === 'conflict';
}

/** The application that the address names. */
export function idOf(ctx: Context): string {
  return String(ctx.params.id);
}
