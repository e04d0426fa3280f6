import type { Storage } from '../helpdesk/storage.ts';
import { defineFields } from './define-fields.ts';
import { addPopulation } from './population.ts';
import { createRandom } from './random.ts';
import { createTextGenerator } from './text-generator.ts';
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
