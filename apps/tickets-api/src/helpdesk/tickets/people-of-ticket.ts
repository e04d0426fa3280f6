import type { TicketRecord } from '../commit/ticket-commit.ts';
import type { People } from '../people/people.ts';
import type { GivenPerson, PersonReference } from '../people/person.ts';
import type { Viewer } from '../people/viewer.ts';
import type { Ticket, TicketChanges, TicketFields } from './ticket.ts';
import { toTicketView } from './visibility.ts';

type Refer = (given: GivenPerson, field: string) => Promise<PersonReference>;

/**
 * Resolves the people of a change to references. People already on the viewer's view of the ticket keep their stored
 * reference, even if the viewer sends them back without a masked address.
 *
 * @throws {AppError} as `People.refer`
 */
export async function referToPeople<Changes extends TicketChanges>(
  changes: Changes,
  { people, viewer, current }: { people: People; viewer: Viewer; current?: TicketRecord | undefined },
): Promise<Changes & Partial<TicketFields>> {
  const view = current && toTicketView(viewer, current);
  const seen = view ? referencesOf(view) : [];
  // In the same order as `seen`. A customer who copies the assignee must not reveal the assignee's address.
  const written = view ? referencesOf({ ...current.ticket, assignee: view.assignee }) : [];
  const refer: Refer = async (given, field) => {
    const same = seen.findIndex(({ id, email }) => id === given.id && (given.email ?? email) === email);
    if (same >= 0) return written[same] as PersonReference;
    const reference = await (field === 'assignee'
      ? people.referToAssignee(viewer, given)
      : people.refer(viewer, given, field));
    return written[seen.findIndex(({ id }) => id === reference.id)] ?? reference;
  };
  const { requester, assignee, cc, followers } = changes;
  return {
    ...changes,
    ...(requester && { requester: await refer(requester, 'requester') }),
    ...(assignee && { assignee: await refer(assignee, 'assignee') }),
    ...(cc && { cc: await referToAll(cc, 'cc', refer) }),
    ...(followers && { followers: await referToAll(followers, 'followers', refer) }),
  } as Changes & Partial<TicketFields>;
}

function referToAll(given: readonly GivenPerson[], field: string, refer: Refer): Promise<PersonReference[]> {
  return Promise.all(given.map((each, i) => refer(each, `${field}[${i}]`)));
}

function referencesOf({ requester, assignee, cc, followers }: Ticket): PersonReference[] {
  return [requester, assignee, ...cc, ...followers].filter((reference) => reference !== null);
}
