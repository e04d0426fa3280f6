import { type Person, toReference } from '../helpdesk/people/person.ts';
import type { TicketFields } from '../helpdesk/tickets/ticket.ts';
import type { Population } from './population.ts';
import type { Random } from './random.ts';
import type { TextGenerator } from './text-generator.ts';

/** Creates the fields of a new ticket. */
export function createFields(
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
