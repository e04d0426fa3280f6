import type { FieldStore } from '../helpdesk/fields/field-store.ts';
import { describeFieldChange } from '../helpdesk/fields/fields.ts';
import type { TicketField } from '../helpdesk/fields/ticket-field.ts';
import { toDefinitionEvent } from '../helpdesk/history/definition-event.ts';
import { system } from '../helpdesk/people/viewer.ts';
import type { Storage } from '../helpdesk/storage.ts';
import { addPopulation } from './population.ts';
import { createRandom, createTextGenerator, type Random } from './random.ts';
import { createTicketStory } from './ticket-story.ts';

export interface GenerateOptions {
  tickets: number;
  /** Total number of replies; they are distributed unevenly. */
  replies: number;
  /** Random seed; the same seed generates the same tickets. */
  seed: number;
  /** End of the generated three years. */
  until: Date;
  /** Number of tickets per transaction. */
  batchSize: number;
  onProgress(made: { tickets: number; replies: number }): void;
}

const YEARS_MS = 3 * 365 * 24 * 60 * 60 * 1000;

/** Fills a database with the history of a helpdesk, in order of time. Keeps existing data. */
export async function generate(
  { people, tickets, fields }: Pick<Storage, 'people' | 'tickets' | 'fields'>,
  options: GenerateOptions,
): Promise<void> {
  const { seed, until, batchSize, onProgress } = options;
  const since = new Date(until.getTime() - YEARS_MS);
  const random = createRandom(seed);
  await defineFields(fields, random, since);
  const population = await addPopulation(people, random, { tickets: options.tickets, since });
  const deps = { random, texts: createTextGenerator(random), population, until };
  const made = { tickets: 0, replies: 0 };
  while (made.tickets < options.tickets) {
    const size = Math.min(batchSize, options.tickets - made.tickets);
    const batch = [];
    for (let i = 0; i < size; i++) {
      const left = options.tickets - made.tickets;
      const replies = left === 1 ? options.replies - made.replies : drawReplies(left);
      batch.push(await createTicketStory(deps, timeOf(made.tickets), replies));
      made.tickets += 1;
      made.replies += replies;
    }
    await tickets.commit(batch);
    onProgress({ ...made });
  }

  /** Draws a number of replies around the remaining mean, so that all are used in the end. */
  function drawReplies(left: number): number {
    const unmade = options.replies - made.replies;
    return Math.min(unmade, random.geometric(unmade / left));
  }

  function timeOf(n: number): Date {
    return new Date(since.getTime() + ((n + random.next()) / options.tickets) * YEARS_MS);
  }
}

const fields = [
  { key: 'order_number', title: 'Order number', type: 'text' },
  { key: 'floor', title: 'Floor', type: 'integer' },
  { key: 'vip', title: 'VIP', type: 'boolean' },
] as const;

/** Defines the custom fields of generated tickets, unless they exist. Only staff see them. */
async function defineFields(
  store: Pick<FieldStore, 'list' | 'add'>,
  random: Pick<Random, 'id'>,
  at: Date,
): Promise<void> {
  const existing = new Set((await store.list()).map(({ key }) => key));
  for (const [position, field] of fields.entries()) {
    if (existing.has(field.key)) continue;
    const definition = toDefinition(field, position);
    const context = { by: system, now: at, newId: () => random.id(at) };
    await store.add(definition, {
      event: toDefinitionEvent(describeFieldChange(undefined, definition), context),
    });
  }

  function toDefinition(field: (typeof fields)[number], position: number): TicketField {
    return {
      id: random.id(at),
      ...field,
      options: [],
      required_on: [],
      visible_to_customers: false,
      editable_by_customers: false,
      position,
      created_at: at.toISOString(),
      updated_at: at.toISOString(),
      version: 1,
    };
  }
}
