import type { FieldCatalogue } from '../catalogues.ts';
import { rewriteTicket } from '../commit/rewrite-ticket.ts';
import type { Reply } from '../replies/reply.ts';
import type { Storage } from '../storage.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { type Person, type PersonReference, toReference } from './person.ts';
import type { ChangeAuthor } from './viewer.ts';

export interface RepointDeps {
  storage: Pick<Storage, 'tickets' | 'replies' | 'people'>;
  catalogue: Pick<FieldCatalogue, 'current'>;
  now: () => Date;
  newId: () => string;
}

/** Replacement of one person by another. */
export interface Repointing {
  fromId: string;
  to: Person;
  by: ChangeAuthor;
}

/** Replaces one person by another in tickets and their replies; each changed ticket gets an event. */
export type Repoint = (ticketIds: readonly string[], repointing: Repointing) => Promise<void>;

export function createRepoint({ storage, catalogue, now, newId }: RepointDeps): Repoint {
  return async (ticketIds, { fromId, to, by }) => {
    const fields = await catalogue.current();
    const rewriting = { rewrite: createRewrite(fromId, to), by, fields, listsChanges: true };
    const { tickets, replies, people } = storage;
    const deps = { tickets, replies, people, now, newId };
    await Promise.all(ticketIds.map((id) => rewriteTicket(deps, rewriting, id)));
  };
}

/** Creates a function that replaces one person by another in every reference of a ticket or reply. */
function createRewrite(fromId: string, to: Person) {
  const repoint = <Reference extends { id: string | null } | null>(reference: Reference): Reference =>
    reference?.id === fromId ? { ...reference, ...toReference(to) } : reference;
  const repointAll = (references: readonly PersonReference[]) => {
    const all = references.map(repoint);
    return all.filter(({ id }, i) => all.findIndex((each) => each.id === id) === i);
  };

  function repointTicket(ticket: Ticket): Ticket {
    const { requester, assignee, cc, followers } = ticket;
    return {
      ...ticket,
      requester: repoint(requester),
      assignee: repoint(assignee),
      cc: repointAll(cc),
      followers: repointAll(followers),
    };
  }

  return <Content extends Ticket | Reply>(content: Content): Content =>
    'author' in content
      ? { ...content, author: repoint(content.author) }
      : (repointTicket(content) as typeof content);
}
