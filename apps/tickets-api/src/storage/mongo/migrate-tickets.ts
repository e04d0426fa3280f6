import type { FeedEntry } from '../../helpdesk/feed/change.ts';
import { ensurePerson } from '../../helpdesk/people/ensure-person.ts';
import { type PersonReference, toReference } from '../../helpdesk/people/person.ts';
import { firstPersonRecord } from '../../helpdesk/people/person-record.ts';
import type { PersonStore } from '../../helpdesk/people/person-store.ts';
import type { FeedWriter } from './feed-writer.ts';
import { indexName } from './indexes.ts';
import type { MongoModels } from './models.ts';
import { toPersonDocument } from './person-model.ts';
import type { TicketDocument } from './ticket-document.ts';

export interface MigrateTicketsDeps {
  models: Pick<MongoModels, 'tickets' | 'records'>;
  people: PersonStore;
  writeFeeds: FeedWriter;
  newId: () => string;
}

/** Ticket in the format before people, readers and deletion. */
type EarlierTicket = Pick<TicketDocument, '_id' | 'version' | 'status' | 'created_at' | 'updated_at'> &
  Record<'requester' | 'assignee', { email: string; name: string | null } | null>;

const BATCH_SIZE = 100;

/**
 * Migrates tickets of an earlier version, and adds them to the feeds of their readers. Several processes may run it at once;
 * without such tickets it reads one key of an index.
 */
export async function migrateTickets(deps: MigrateTicketsDeps): Promise<void> {
  const { tickets, records } = deps.models;
  // Earlier answers cannot be converted, so their requests can no longer be replayed.
  await records.collection.deleteMany({ answer: { $exists: false } });
  for (;;) {
    const earlier = await tickets.collection
      .find<EarlierTicket>({ is_deleted: null })
      .hint(indexName(undefined, 'created_at'))
      .limit(BATCH_SIZE)
      .toArray();
    if (earlier.length === 0) return;
    await migrateBatch(deps, earlier);
  }
}

/** Person in the format before identities, identified by an e-mail address. */
interface EarlierPerson {
  _id: string;
  email: string;
  name: string | null;
  created_at: Date;
}

/** Migrates people to the format with identities; the first sign-in with the verified address claims a person. */
export async function migratePeople({ collection }: MongoModels['people']): Promise<void> {
  for (;;) {
    const earlier = await collection.find<EarlierPerson>({ keys: null }).limit(BATCH_SIZE).toArray();
    if (earlier.length === 0) return;
    const replacements = earlier.map(({ _id, email, name, created_at }) => {
      const { _id: _, ...document } = toPersonDocument(
        firstPersonRecord({ id: _id, email, name }, created_at),
      );
      return { replaceOne: { filter: { _id: { $eq: _id }, keys: null }, replacement: document } };
    });
    await collection.bulkWrite(replacements as never);
  }
}

async function migrateBatch(deps: MigrateTicketsDeps, earlier: readonly EarlierTicket[]) {
  const { models, writeFeeds } = deps;
  const updates: Parameters<typeof models.tickets.bulkWrite>[0] = [];
  const feedEntries: FeedEntry[] = [];
  for (const ticket of earlier) {
    const { _id, version } = ticket;
    const members = await toNewMembers(deps, ticket);
    const filter = { _id: { $eq: _id }, version: { $eq: version }, is_deleted: null };
    updates.push({ updateOne: { filter, update: { $set: members } } });
    feedEntries.push(...toFeedEntries(_id, members.readers));
  }
  await models.tickets.db.transaction(
    async (session) => {
      await models.tickets.bulkWrite(updates, { session });
      await writeFeeds(feedEntries, session);
    },
    { readConcern: { level: 'snapshot' } },
  );
}

async function toNewMembers(deps: MigrateTicketsDeps, ticket: EarlierTicket) {
  const { status, created_at, updated_at, version } = ticket;
  const requester = await toPresentPerson(deps, ticket.requester, created_at);
  return {
    requester,
    assignee: await toPresentPerson(deps, ticket.assignee, created_at),
    cc: [],
    followers: [],
    links: [],
    follow_up_of: null,
    first_replied_at: null,
    solved_at: status === 'solved' ? updated_at : null,
    closed_at: status === 'closed' ? updated_at : null,
    deleted_at: null,
    is_deleted: false,
    readers: requester ? [requester.id] : [],
    public_version: version,
    public_updated_at: updated_at,
  };
}

async function toPresentPerson(
  { people, newId }: MigrateTicketsDeps,
  person: EarlierTicket['requester'],
  namedAt: Date,
): Promise<PersonReference | null> {
  if (person === null) return null;
  const { email, name } = person;
  const known = await ensurePerson(people, { id: newId(), email, name }, namedAt);
  return { ...toReference(known), name };
}

function toFeedEntries(id: string, readers: readonly string[]): FeedEntry[] {
  return ['staff', ...readers].map((reader) => ({
    reader,
    resource: 'ticket',
    id,
    ticketId: id,
    isDeleted: false,
  }));
}
