import type { TicketCommit, TicketRecord } from '../helpdesk/commit/ticket-commit.ts';
import { type TicketChange, toCommit } from '../helpdesk/commit/to-commit.ts';
import { noFields } from '../helpdesk/fields/field-set.ts';
import type { ChangeAuthor } from '../helpdesk/people/viewer.ts';
import type { Reply } from '../helpdesk/replies/reply.ts';
import type { Ticket } from '../helpdesk/tickets/ticket.ts';

/** Records the changes of one ticket, to commit all of them at once. */
export interface TicketRecorder {
  /** Current state. */
  record(): TicketRecord;
  add(change: TicketChange, by: ChangeAuthor, now: Date): Promise<void>;
  /** Returns all changes as one commit of a new ticket. */
  toCommit(): TicketCommit;
}

/** Converts each change to the commit that the API would make, so that versions, events and feed entries are the same. */
export function createTicketRecorder(newId: (now: Date) => string): TicketRecorder {
  const commits: TicketCommit[] = [];
  const replies: Reply[] = [];
  const last = () => commits.at(-1) as TicketCommit;
  return {
    record: () => last().record as TicketRecord,
    async add(change, by, now) {
      const loadReplies = async () => replies;
      const context = {
        by,
        now,
        newId: () => newId(now),
        fields: noFields,
        staff: noStaff,
        loadReplies,
      };
      commits.push(await toCommit(change, context));
      if (change.reply?.after) replies.push(change.reply.after);
    },
    toCommit: () => ({
      id: last().id,
      record: last().record,
      writtenReplies: replies,
      events: commits.flatMap(({ events }) => events),
      feedEntries: toLatestEntries(commits),
    }),
  };
}

/** Staff among requesters and people in copy; generated ones are customers. */
const noStaff: ReadonlySet<string> = new Set();

/** Returns the latest feed entry of each reader and resource. */
function toLatestEntries(commits: readonly TicketCommit[]): TicketCommit['feedEntries'] {
  const all = commits.flatMap(({ feedEntries }) => feedEntries);
  return [...new Map(all.map((entry) => [`${entry.reader} ${entry.id}`, entry])).values()];
}

/** Creates a change of the given fields, with an optional new reply. */
export function toTicketChange(before: TicketRecord, changes: Partial<Ticket>, reply?: Reply): TicketChange {
  return { before, after: { ...before.ticket, ...changes }, ...(reply && { reply: { after: reply } }) };
}
