import type { PersonStore } from '../../helpdesk/people/person-store.ts';
import { toPersonView, type Viewer } from '../../helpdesk/people/viewer.ts';
import { replyViewOf } from '../../helpdesk/replies/permissions.ts';
import type { ReplyStore } from '../../helpdesk/replies/reply-store.ts';
import type { Ticket } from '../../helpdesk/tickets/ticket.ts';
import { INCLUDED_REPLIES, type Included, type SideLoad } from './projection.ts';

export interface SideLoadDeps {
  people: Pick<PersonStore, 'findAll'>;
  replies: Pick<ReplyStore, 'listNewest'>;
}

/** Loads the requested side loads that the viewer may see, with one query for each kind. */
export type LoadIncluded = (
  viewer: Viewer,
  tickets: readonly Ticket[],
  include: readonly SideLoad[] | undefined,
) => Promise<Included | undefined>;

export function createSideLoads({ people, replies }: SideLoadDeps): LoadIncluded {
  async function loadPeople(viewer: Viewer, tickets: readonly Ticket[], roles: readonly SideLoad[]) {
    const ids = tickets.flatMap((ticket) =>
      (['requester', 'assignee'] as const).flatMap((role) =>
        roles.includes(role) ? (ticket[role]?.id ?? []) : [],
      ),
    );
    // Customers see other people only as references in the ticket itself.
    const visible = [...new Set(ids)].filter((id) => viewer.isStaff || id === viewer.person?.id);
    const found = (await people.findAll(visible)).map(({ person }) => toPersonView(viewer, person));
    const byId = new Map(found.map((person) => [person.id, person]));
    return visible.flatMap((id) => byId.get(id) ?? []);
  }

  async function loadReplies(viewer: Viewer, tickets: readonly Ticket[]) {
    const ticketIds = tickets.map(({ id }) => id);
    const query = { ticketIds, isPublicOnly: !viewer.isStaff, limit: INCLUDED_REPLIES };
    return (await replies.listNewest(query)).map((reply) => replyViewOf(viewer, reply));
  }

  return async (viewer, tickets, include) => {
    if (!include) return undefined;
    const hasPeople = include.includes('requester') || include.includes('assignee');
    return {
      ...(hasPeople && { people: await loadPeople(viewer, tickets, include) }),
      ...(include.includes('replies') && { replies: await loadReplies(viewer, tickets) }),
    };
  };
}
