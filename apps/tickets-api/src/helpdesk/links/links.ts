import { AppError } from '@keydesk/errors';
import { invalidMember } from '../../wire/faults/validation-errors.ts';
import type { RepeatableRequest } from '../commit/idempotency.ts';
import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { Plan, TicketWriter } from '../commit/ticket-writer.ts';
import { toChangeAuthor, type Viewer } from '../people/viewer.ts';
import { assertStaff } from '../tickets/permissions.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { TicketStore } from '../tickets/ticket-store.ts';
import type { ChangeOutcome, Precondition } from '../tickets/tickets.ts';
import { assertExpected, getVisible, toTicketView } from '../tickets/visibility.ts';
import { assertNotClosed } from '../tickets/workflow.ts';
import { withLink, withoutLink } from './link-changes.ts';

export type Link = Ticket['links'][number];

export interface LinksDeps {
  store: Pick<TicketStore, 'find'>;
  writer: TicketWriter;
}

/**
 * Operations of staff on the links of a ticket. Both tickets of a link change in one transaction, each with its event.
 * The answer is the ticket that the request names.
 */
export interface Links {
  /**
   * Adds a link in both tickets.
   *
   * @throws {AppError} `not_found`, `forbidden`, `precondition_failed`, `ticket_closed`
   * @throws {AppError} `validation_failed` when the other ticket does not exist or is the same
   * @throws {AppError} `conflict` when they have another link or the new link would create a cycle
   */
  add(
    viewer: Viewer,
    id: string,
    link: Link,
    precondition: Precondition,
    requests?: readonly RepeatableRequest[],
  ): Promise<ChangeOutcome>;
  /** Removes a link from both tickets. @throws {AppError} `not_found` when the link does not exist, and as `add` */
  remove(
    viewer: Viewer,
    id: string,
    otherId: string,
    precondition: Precondition,
    requests?: readonly RepeatableRequest[],
  ): Promise<ChangeOutcome>;
}

/** Link type as seen from the other ticket. */
const inverse: Readonly<Record<Link['type'], Link['type']>> = {
  parent: 'child',
  child: 'parent',
  related: 'related',
  duplicate: 'original',
  original: 'duplicate',
};

export function createLinks({ store, writer }: LinksDeps): Links {
  type Change = Pick<Plan<Ticket>, 'changes' | 'witnesses'>;

  async function commitChange(
    viewer: Viewer,
    [id, otherId]: readonly [id: string, otherId: string],
    precondition: Precondition,
    toChange: (before: TicketRecord) => Promise<Change>,
    requests?: readonly RepeatableRequest[],
  ): Promise<ChangeOutcome> {
    const { answer, ...result } = await writer.commitPlan<Ticket>(
      [id, otherId],
      async () => {
        const visible = await getVisible(store, viewer, id);
        assertStaff(viewer, 'link tickets');
        const before = assertExpected(viewer, visible, precondition);
        assertNotClosed(before.ticket);
        const change = await toChange(before);
        const by = toChangeAuthor(viewer);
        return { ...change, by, toAnswer: ([record]) => toTicketView(viewer, record ?? before) };
      },
      requests,
    );
    return { ticket: answer, ...result };
  }

  return {
    add: (viewer, id, { type, ticket_id }, precondition, requests) =>
      commitChange(
        viewer,
        [id, ticket_id],
        precondition,
        async (before) => {
          const other = ticket_id === id ? undefined : await store.find(ticket_id);
          if (!other || other.ticket.deleted_at !== null) throw noOther();
          const changes = [
            toDeed(before, { type, ticket_id }),
            toDeed(other, { type: inverse[type], ticket_id: id }),
          ];
          return { changes, witnesses: await findWitnesses(store, [before, other], type) };
        },
        requests,
      ),
    remove: (viewer, id, otherId, precondition, requests) =>
      commitChange(
        viewer,
        [id, otherId],
        precondition,
        async (before) => {
          if (!findLink(before, otherId)) throw new AppError('not_found', 'These tickets are not linked.');
          const other = await store.find(otherId);
          return { changes: [toRemoval(before, otherId), ...(other ? [toRemoval(other, id)] : [])] };
        },
        requests,
      ),
  };
}

/**
 * Returns the ancestors of the parent; the link must not be added if one of them changes first.
 *
 * @throws {AppError} `conflict` when the child is an ancestor of the parent
 */
async function findWitnesses(
  store: LinksDeps['store'],
  [before, other]: readonly [TicketRecord, TicketRecord],
  type: Link['type'],
) {
  if (type !== 'parent' && type !== 'child') return [];
  const [parent, child] = type === 'parent' ? [other, before] : [before, other];
  const above = await findAncestors(store, parent);
  if (above.some(({ ticket }) => ticket.id === child.ticket.id)) {
    throw new AppError('conflict', 'This link would create a cycle.');
  }
  return above;
}

function findLink({ ticket }: TicketRecord, otherId: string): Link | undefined {
  return ticket.links.find(({ ticket_id }) => ticket_id === otherId);
}

/** Adds one side of a link. @throws {AppError} `conflict` when the two tickets already have a link of another type */
function toDeed(before: TicketRecord, link: Link) {
  const { ticket } = before;
  const known = findLink(before, link.ticket_id);
  if (known?.type === link.type) return { before, after: ticket };
  if (known)
    throw new AppError(
      'conflict',
      `The tickets are already linked as ${known.type}; remove that link first.`,
    );
  return { before, after: withLink(ticket, link) };
}

function toRemoval(before: TicketRecord, otherId: string) {
  return { before, after: withoutLink(before.ticket, otherId) };
}

function noOther(): AppError {
  return invalidMember('ticket_id', 'must be the id of another ticket');
}

const MAX_ANCESTORS = 100;

/**
 * Finds all ancestors of a ticket: its parents, their parents, and so on.
 *
 * @throws {AppError} `conflict` when there are more than 100
 */
async function findAncestors(
  store: Pick<TicketStore, 'find'>,
  { ticket }: TicketRecord,
): Promise<readonly TicketRecord[]> {
  const found = new Map<string, TicketRecord>();
  const ahead = listParents(ticket.links);
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    const record = found.has(id) ? undefined : await store.find(id);
    if (!record) continue;
    if (found.size === MAX_ANCESTORS) throw tooDeep();
    found.set(id, record);
    ahead.push(...listParents(record.ticket.links));
  }
  return [...found.values()];
}

function listParents(links: TicketRecord['ticket']['links']): string[] {
  return links.filter(({ type }) => type === 'parent').map(({ ticket_id }) => ticket_id);
}

function tooDeep(): AppError {
  return new AppError('conflict', `A ticket can have at most ${MAX_ANCESTORS} ancestors.`);
}
