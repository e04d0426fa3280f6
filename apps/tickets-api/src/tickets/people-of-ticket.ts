import type { People } from '../people/people.ts';
import type { GivenPerson, PersonReference } from '../people/person.ts';
import type { Viewer } from '../people/viewer.ts';
import { toCustomerContent } from './customer-view.ts';
import type { Ticket, TicketChanges, TicketFields } from './ticket.ts';

type Refer = (given: GivenPerson, field: string) => Promise<PersonReference>;

/**
 * The changes with people as a ticket has them. Who is on the ticket already, as far as the viewer sees, stays as they were
 * written there.
 *
 * @throws {AppError} as `People.refer`
 */
export async function referToPeople<Changes extends TicketChanges>(
  changes: Changes,
  { people, viewer, current }: { people: People; viewer: Viewer; current?: Ticket | undefined },
): Promise<Changes & Partial<TicketFields>> {
  const known = current
    ? referencesOf(viewer.isStaff ? current : toCustomerContent(current, viewer.fields))
    : [];
  const refer: Refer = async (given, field) => {
    const same = known.find(({ id, email }) => id === given.id && (given.email ?? email) === email);
    if (same) return same;
    const reference = await (field === 'assignee'
      ? people.referToAssignee(viewer, given)
      : people.refer(viewer, given, field));
    return known.find(({ id }) => id === reference.id) ?? reference;
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
