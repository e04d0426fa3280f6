import type { TicketCommit } from '../helpdesk/commit/ticket-commit.ts';
import type { StatusCategory } from '../helpdesk/definitions/definition.ts';
import { type Person, toReference } from '../helpdesk/people/person.ts';
import { type ChangeAuthor, system } from '../helpdesk/people/viewer.ts';
import type { Reply } from '../helpdesk/replies/reply.ts';
import { withReply } from '../helpdesk/tickets/conversation.ts';
import { createTicket, type Ticket, type TicketFields } from '../helpdesk/tickets/ticket.ts';
import { moveToBuiltIn, reopen } from '../helpdesk/tickets/workflow.ts';
import type { Population } from './population.ts';
import type { Random, TextGenerator } from './random.ts';
import { createTicketRecorder, type TicketRecorder, toTicketChange } from './ticket-recorder.ts';

/** Creates the fields of a new ticket. */
function createFields(
  { random, texts, population }: { random: Random; texts: TextGenerator; population: Population },
  requester: Person,
): TicketFields {
  const colleague = random.pick(population.customers);
  const isCopied = random.chance(0.05) && colleague.id !== requester.id;
  return {
    subject: texts.line(3 + random.below(6)).slice(0, 255),
    description: texts.text(20 + random.geometric(40)),
    status: 'new',
    status_category: 'new',
    priority: random.pick(['low', 'normal', 'normal', 'normal', 'normal', 'high', 'high', 'urgent']),
    type: random.pick(['question', 'question', 'incident', 'problem', 'task', null]),
    channel: random.pick(['email', 'email', 'web', 'mobile', 'mobile', 'api', 'chat', 'phone']),
    requester: toReference(requester),
    assignee: null,
    cc: isCopied ? [toReference(colleague)] : [],
    followers: random.chance(0.05) ? [toReference(random.pick(population.agents))] : [],
    tags: [...new Set(Array.from({ length: random.below(4) }, () => `topic-${random.rank(500)}`))],
    custom_fields: createCustomFields(random),
    external_id: random.chance(0.1) ? `crm-${random.below(10 ** 9)}` : null,
    due_at: null,
  };
}

function createCustomFields(random: Random): TicketFields['custom_fields'] {
  return {
    ...(random.chance(0.5) && { order_number: String(100_000 + random.below(900_000)) }),
    ...(random.chance(0.2) && { floor: random.below(40) }),
    ...(random.chance(0.1) && { vip: true }),
  };
}

export interface StoryDeps {
  random: Random;
  texts: TextGenerator;
  population: Population;
  /** End of the generated time. */
  until: Date;
}

/** Context of a story: the people and the history of its ticket. */
interface StoryContext extends StoryDeps {
  recorder: TicketRecorder;
  requester: Person;
  agent: Person;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const CLOSES_AFTER_MS = 28 * DAY_MS;
const CLIENT_ID = 'generator';
/** Number of customers with about half a percent of all tickets each; the others share the rest unevenly. */
const BUSY_CUSTOMERS = 20;

/** Generates the history of one ticket: opened, answered, solved, closed, and sometimes deleted. */
export async function createTicketStory(
  deps: StoryDeps,
  openedAt: Date,
  replyCount: number,
): Promise<TicketCommit> {
  const { random, population } = deps;
  const { customers, agents } = population;
  const recorder = createTicketRecorder(random.id);
  const requester = customers[random.rank(customers.length, BUSY_CUSTOMERS)] ?? customers[0];
  const context: StoryContext = { ...deps, recorder, requester, agent: random.pick(agents) };
  await open(context, openedAt);
  let now = openedAt;
  for (let i = 1; i <= replyCount; i++) {
    now = later(deps, now);
    await (i === replyCount ? conclude(context, now) : converse(context, now));
  }
  await close(context, new Date(now.getTime() + CLOSES_AFTER_MS));
  if (random.chance(0.01)) await remove(context, deps.until);
  return recorder.toCommit();
}

function open(context: StoryContext, now: Date): Promise<void> {
  const { recorder, random, requester } = context;
  const fields = { ...createFields(context, requester), follow_up_of: null, links: [] };
  return recorder.add({ after: createTicket(fields, { id: random.id(now), now }) }, toAuthor(requester), now);
}

/** Adds a reply of the requester, or of the agent to the requester or as an internal note. */
function converse(context: StoryContext, now: Date): Promise<void> {
  const { random } = context;
  if (random.chance(0.4))
    return write(context, { author: context.requester, now, isIncoming: true, toAfter: reopen });
  if (random.chance(0.25))
    return write(context, { author: context.agent, now, isNote: true, toAfter: (same) => same });
  return answer(context, random.pick(['pending', 'pending', 'open', 'hold']), now);
}

/** Adds the last reply, by the agent. It solves most tickets; recent ones may stay open. */
function conclude(context: StoryContext, now: Date): Promise<void> {
  const ageDays = (context.until.getTime() - now.getTime()) / DAY_MS;
  const isSolved = ageDays > context.random.geometric(10);
  return answer(context, isSolved ? 'solved' : context.random.pick(['open', 'pending', 'hold']), now);
}

function answer(context: StoryContext, category: StatusCategory, now: Date): Promise<void> {
  const { agent } = context;
  return write(context, {
    author: agent,
    now,
    toAfter(ticket) {
      const assignee = ticket.assignee ?? toReference(agent);
      const first_replied_at = ticket.first_replied_at ?? now.toISOString();
      return moveToBuiltIn({ ...ticket, assignee, first_replied_at }, category, now);
    },
  });
}

interface ReplyInput {
  author: Person;
  now: Date;
  isNote?: boolean;
  isIncoming?: boolean;
  toAfter(ticket: Ticket, now: Date): Ticket;
}

function write(
  { recorder, random, texts }: StoryContext,
  { author, now, isNote, isIncoming = false, toAfter }: ReplyInput,
): Promise<void> {
  const before = recorder.record();
  const at = now.toISOString();
  const reply: Reply = {
    id: random.id(now),
    ticket_id: before.ticket.id,
    visibility: isNote ? 'internal' : 'public',
    author: { type: 'person', ...toReference(author) },
    incoming: isIncoming,
    counts_as_reply: !isNote && !isIncoming,
    body: texts.text(10 + random.geometric(30)),
    created_at: at,
    updated_at: at,
    version: 1,
  };
  const after = withReply(toAfter(before.ticket, now), reply);
  return recorder.add(toTicketChange(before, after, reply), toAuthor(author), now);
}

async function close({ recorder, until }: StoryContext, now: Date): Promise<void> {
  const before = recorder.record();
  if (before.ticket.status_category !== 'solved' || now >= until) return;
  await recorder.add(toTicketChange(before, moveToBuiltIn(before.ticket, 'closed', now)), system, now);
}

function remove({ recorder, agent }: StoryContext, now: Date): Promise<void> {
  return recorder.add(
    toTicketChange(recorder.record(), { deleted_at: now.toISOString() }),
    toAuthor(agent),
    now,
  );
}

/** Returns a time some hours later, usually few, but before the end. */
function later({ random, until }: StoryDeps, now: Date): Date {
  const hours = random.next() ** 3 * 72;
  return new Date(Math.min(until.getTime() - 1, now.getTime() + 1 + hours * HOUR_MS));
}

function toAuthor({ id, name, email }: Person): ChangeAuthor {
  return { actor: { type: 'person', id, name: name ?? email }, clientId: CLIENT_ID };
}
