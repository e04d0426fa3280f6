import { hash } from 'node:crypto';
import type { ParameterizedContext } from 'koa';
import type { Viewer } from '../people/viewer.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { precondition } from './conditional-requests.ts';

/** Whoever the request is made for. A route that nothing stands before is our bug, and must fail rather than pass. */
export function getViewer({ state }: ParameterizedContext): Viewer {
  const { viewer } = state as { viewer?: Viewer };
  if (!viewer) throw new Error('No identifyViewer() stands before this route.');
  return viewer;
}

/** What of a ticket tells its versions apart. */
type Versioned = Pick<Ticket, 'version' | 'custom_fields'>;

/**
 * A version in an entity tag. Staff and customers see different representations, which count their versions apart, so
 * the tag of the one is never taken for that of the other. Which custom fields customers see can change without any
 * change of a ticket, so their tag tells of the values too.
 */
export function toVersionTag(ctx: ParameterizedContext, { version, custom_fields }: Versioned): string {
  if (getViewer(ctx).isStaff) return String(version);
  const values = JSON.stringify(custom_fields);
  return values === '{}' ? `c${version}` : `c${version}.${hash('sha1', values, 'base64url')}`;
}

/** Whether the request allows a change of the version that the viewer sees. */
export function viewPrecondition(ctx: ParameterizedContext): (view: Versioned) => boolean {
  const isMet = precondition(ctx);
  return (view) => isMet(toVersionTag(ctx, view), view.version);
}
