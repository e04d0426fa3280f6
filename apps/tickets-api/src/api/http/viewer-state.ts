import { hash } from 'node:crypto';
import type { ParameterizedContext } from 'koa';
import { type TicketStatus, toDefinitionTag } from '../../helpdesk/definitions/definition-view.ts';
import type { PersonView } from '../../helpdesk/people/person.ts';
import type { Viewer } from '../../helpdesk/people/viewer.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';
import { entityTag, readPrecondition } from './conditional-requests.ts';
import { digest } from './respond.ts';

/** Returns the viewer of the request. A route without `identifyViewer` is a bug, so this throws instead of returning none. */
export function getViewer({ state }: ParameterizedContext): Viewer {
  const { viewer } = state as { viewer?: Viewer };
  if (!viewer) throw new Error('This route runs without identifyViewer().');
  return viewer;
}

/** Members of a ticket that determine its version tag. */
type VersionedTicket = Pick<Ticket, 'version' | 'custom_fields'>;

/**
 * Returns the version of a ticket for its entity tag. Staff and customers see different representations with separate
 * version counters, so their tags never match each other. Which custom fields customers see can change without a change
 * of the ticket, so a customer's tag includes a digest of the values.
 */
export function toVersionTag(ctx: ParameterizedContext, { version, custom_fields }: VersionedTicket): string {
  if (getViewer(ctx).isStaff) return String(version);
  const values = JSON.stringify(custom_fields);
  return values === '{}' ? `c${version}` : `c${version}.${hash('sha1', values, 'base64url')}`;
}

/** Returns the version of a person for its entity tag. Customers see no version number and get a digest. */
export function toPersonVersion(view: PersonView): string {
  return view.version === undefined ? digest(view) : String(view.version);
}

/** Returns the entity tag that a GET of a versioned resource would send. */
export function resourceTag(
  ctx: ParameterizedContext,
  {
    version,
    custom_fields,
    can_become,
  }: Pick<VersionedTicket, 'version'> & Partial<VersionedTicket & TicketStatus>,
): string {
  const tag = custom_fields
    ? toVersionTag(ctx, { version, custom_fields })
    : toDefinitionTag({ version, can_become });
  return entityTag(ctx, tag);
}

/** Reads the precondition of a request and checks it against the version that the viewer sees. */
export function readViewPrecondition(ctx: ParameterizedContext): (view: VersionedTicket) => boolean {
  const isMet = readPrecondition(ctx);
  return (view) => isMet(toVersionTag(ctx, view), view.version);
}
