import { hash } from 'node:crypto';
import type { ParameterizedContext } from 'koa';
import { type TicketStatus, toDefinitionTag } from '../definitions/resources.ts';
import type { PersonView } from '../people/person.ts';
import type { Viewer } from '../people/viewer.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { entityTag, precondition } from './conditional-requests.ts';
import { digest } from './respond.ts';

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

/** The version of a person in an entity tag. Staff change versions; what customers see of themselves has none. */
export function toPersonVersion(view: PersonView): string {
  return view.version === undefined ? digest(view) : String(view.version);
}

/** The entity tag that a GET of a ticket, or of something else that counts its versions, would send. */
export function resourceTag(
  ctx: ParameterizedContext,
  { version, custom_fields, can_become }: Pick<Versioned, 'version'> & Partial<Versioned & TicketStatus>,
): string {
  const tag = custom_fields
    ? toVersionTag(ctx, { version, custom_fields })
    : toDefinitionTag({ version, can_become });
  return entityTag(ctx, tag);
}

/** Whether the request allows a change of the version that the viewer sees. */
export function viewPrecondition(ctx: ParameterizedContext): (view: Versioned) => boolean {
  const isMet = precondition(ctx);
  return (view) => isMet(toVersionTag(ctx, view), view.version);
}
