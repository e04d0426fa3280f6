import { AppError } from '@keydesk/http';
import type { Middleware } from 'koa';

/** The scopes of this API (RFC 6749 §3.3) and what each lets a client do. */
export const scopes = {
  read: 'tickets:read',
  write: 'tickets:write',
  delete: 'tickets:delete',
} as const;

const staff = new Set<unknown>(['agent', 'admin']);

/**
 * Lets only agents and administrators pass, for they may see every ticket. A machine client has the role that an
 * administrator gave it, and none by itself.
 */
export function requireStaff(): Middleware {
  return function requireStaffRole(ctx, next) {
    if (staff.has(ctx.state.caller?.role)) return next();
    throw new AppError(
      'forbidden',
      'The client needs the role agent or admin; an administrator can grant it.',
    );
  };
}
