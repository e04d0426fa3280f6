import type { PersonView } from '../people/person.ts';
import type { PersonStore } from '../people/person-store.ts';
import { toPersonView, type Viewer } from '../people/viewer.ts';
import { toReplyView } from '../replies/permissions.ts';
import type { Reply } from '../replies/reply.ts';
import type { ReplyStore } from '../replies/reply-store.ts';
import type { Ticket } from '../tickets/ticket.ts';

/** Resources that a response can include beside its tickets. */
export const sideLoads = ['requester', 'assignee', 'replies'] as const;
export type SideLoad = (typeof sideLoads)[number];

/** Maximum number of included replies of one ticket. */
export const INCLUDED_REPLIES = 5;

/** Resources that a response includes beside its tickets. */
export interface Included {
  people?: readonly PersonView[];
  replies?: readonly Reply[];
}

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
    return (await replies.listNewest(query)).map((reply) => toReplyView(viewer, reply));
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
