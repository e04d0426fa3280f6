import type { StatusCategory } from '../definitions/categories.ts';
import { type Person, toReference } from '../people/person.ts';
import { type Doer, system } from '../people/viewer.ts';
import type { Reply } from '../replies/reply.ts';
import { withReply } from '../tickets/conversation.ts';
import { createTicket, type Ticket } from '../tickets/ticket.ts';
import type { TicketCommit } from '../tickets/ticket-commit.ts';
import { moveToBuiltIn, reopen } from '../tickets/workflow.ts';
import { type Chronicle, createChronicle, deedOn } from './chronicle.ts';
import type { Population } from './population.ts';
import type { Random } from './random.ts';
import type { Writer } from './text.ts';
import { createFields } from './ticket-fields.ts';

export interface StoryDeps {
  random: Random;
  writer: Writer;
  population: Population;
  /** Nothing happens later. */
  until: Date;
}

/** Who and what a ticket is about. */
interface Cast extends StoryDeps {
  chronicle: Chronicle;
  requester: Person;
  agent: Person;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const CLOSES_AFTER_MS = 28 * DAY_MS;
const CLIENT_ID = 'generator';
/** Each of so many customers has about half a percent of all tickets; the others share the rest unevenly. */
const BUSY_CUSTOMERS = 20;

/** All that has happened to one ticket: it is opened, answered, solved, closed, and now and then deleted. */
export async function tellStory(deps: StoryDeps, openedAt: Date, replyCount: number): Promise<TicketCommit> {
  const { random, population } = deps;
  const { customers, agents } = population;
  const chronicle = createChronicle(random.id);
  const requester = customers[random.rank(customers.length, BUSY_CUSTOMERS)] ?? customers[0];
  const cast: Cast = { ...deps, chronicle, requester, agent: random.pick(agents) };
  await open(cast, openedAt);
  let now = openedAt;
  for (let i = 1; i <= replyCount; i++) {
    now = later(deps, now);
    await (i === replyCount ? conclude(cast, now) : converse(cast, now));
  }
  await close(cast, new Date(now.getTime() + CLOSES_AFTER_MS));
  if (random.chance(0.01)) await remove(cast, deps.until);
  return chronicle.toCommit();
}

function open(cast: Cast, now: Date): Promise<void> {
  const { chronicle, random, requester } = cast;
  const fields = { ...createFields(cast, requester), follow_up_of: null, links: [] };
  return chronicle.add({ after: createTicket(fields, { id: random.id(now), now }) }, doerOf(requester), now);
}

/** The requester writes, or the agent does, to them or to other agents. */
function converse(cast: Cast, now: Date): Promise<void> {
  const { random } = cast;
  if (random.chance(0.4))
    return write(cast, { author: cast.requester, now, isIncoming: true, toAfter: reopen });
  if (random.chance(0.25))
    return write(cast, { author: cast.agent, now, isNote: true, toAfter: (same) => same });
  return answer(cast, random.pick(['pending', 'pending', 'open', 'hold']), now);
}

/** The agent has the last word, by which most are solved; what is young may be open still. */
function conclude(cast: Cast, now: Date): Promise<void> {
  const ageDays = (cast.until.getTime() - now.getTime()) / DAY_MS;
  const isSolved = ageDays > cast.random.geometric(10);
  return answer(cast, isSolved ? 'solved' : cast.random.pick(['open', 'pending', 'hold']), now);
}

function answer(cast: Cast, category: StatusCategory, now: Date): Promise<void> {
  const { agent } = cast;
  return write(cast, {
    author: agent,
    now,
    toAfter(ticket) {
      const assignee = ticket.assignee ?? toReference(agent);
      const first_replied_at = ticket.first_replied_at ?? now.toISOString();
      return moveToBuiltIn({ ...ticket, assignee, first_replied_at }, category, now);
    },
  });
}

interface Writing {
  author: Person;
  now: Date;
  isNote?: boolean;
  isIncoming?: boolean;
  toAfter(ticket: Ticket, now: Date): Ticket;
}

function write(
  { chronicle, random, writer }: Cast,
  { author, now, isNote, isIncoming = false, toAfter }: Writing,
): Promise<void> {
  const before = chronicle.record();
  const at = now.toISOString();
  const reply: Reply = {
    id: random.id(now),
    ticket_id: before.ticket.id,
    visibility: isNote ? 'internal' : 'public',
    author: { type: 'person', ...toReference(author) },
    incoming: isIncoming,
    counts_as_reply: !isNote && !isIncoming,
    body: writer.text(10 + random.geometric(30)),
    created_at: at,
    updated_at: at,
    version: 1,
  };
  const after = withReply(toAfter(before.ticket, now), reply);
  return chronicle.add(deedOn(before, after, reply), doerOf(author), now);
}

async function close({ chronicle, until }: Cast, now: Date): Promise<void> {
  const before = chronicle.record();
  if (before.ticket.status_category !== 'solved' || now >= until) return;
  await chronicle.add(deedOn(before, moveToBuiltIn(before.ticket, 'closed', now)), system, now);
}

function remove({ chronicle, agent }: Cast, now: Date): Promise<void> {
  return chronicle.add(deedOn(chronicle.record(), { deleted_at: now.toISOString() }), doerOf(agent), now);
}

/** Some hours later, most of them few; never after the end. */
function later({ random, until }: StoryDeps, now: Date): Date {
  const hours = random.next() ** 3 * 72;
  return new Date(Math.min(until.getTime() - 1, now.getTime() + 1 + hours * HOUR_MS));
}

function doerOf({ id, name, email }: Person): Doer {
  return { actor: { type: 'person', id, name: name ?? email }, clientId: CLIENT_ID };
}
