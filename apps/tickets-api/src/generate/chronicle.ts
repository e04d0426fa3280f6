import { noFields } from '../fields/field-set.ts';
import type { Doer } from '../people/viewer.ts';
import type { Reply } from '../replies/reply.ts';
import type { Ticket } from '../tickets/ticket.ts';
import type { TicketCommit, TicketRecord } from '../tickets/ticket-commit.ts';
import { type Deed, toCommit } from '../tickets/to-commit.ts';

/** What happens to one ticket, one deed after the other. */
export interface Chronicle {
  /** As it is by now. */
  record(): TicketRecord;
  add(deed: Deed, by: Doer, now: Date): Promise<void>;
  /** All of it as one commit of a new ticket. */
  toCommit(): TicketCommit;
}

/** Each deed becomes what the API would commit for it, so that versions, events and sightings come out the same. */
export function createChronicle(newId: (now: Date) => string): Chronicle {
  const commits: TicketCommit[] = [];
  const replies: Reply[] = [];
  const last = () => commits.at(-1) as TicketCommit;
  return {
    record: () => last().record as TicketRecord,
    async add(deed, by, now) {
      const loadReplies = async () => replies;
      const circumstances = {
        by,
        now,
        newId: () => newId(now),
        fields: noFields,
        staff: nobody,
        loadReplies,
      };
      commits.push(await toCommit(deed, circumstances));
      if (deed.reply?.after) replies.push(deed.reply.after);
    },
    toCommit: () => ({
      id: last().id,
      record: last().record,
      writtenReplies: replies,
      events: commits.flatMap(({ events }) => events),
      sightings: latestOf(commits),
    }),
  };
}

/** Generated requesters and people in copy are customers. */
const nobody: ReadonlySet<string> = new Set();

/** What each reader is told of each resource last. */
function latestOf(commits: readonly TicketCommit[]): TicketCommit['sightings'] {
  const all = commits.flatMap(({ sightings }) => sightings);
  return [...new Map(all.map((sighting) => [`${sighting.reader} ${sighting.id}`, sighting])).values()];
}

/** A ticket that nothing is to change of but what is said. */
export function deedOn(before: TicketRecord, changes: Partial<Ticket>, reply?: Reply): Deed {
  return { before, after: { ...before.ticket, ...changes }, ...(reply && { reply: { after: reply } }) };
}
