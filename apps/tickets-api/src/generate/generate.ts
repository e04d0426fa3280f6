import type { Storage } from '../storage/storage.ts';
import { defineFields } from './define-fields.ts';
import { addPopulation } from './population.ts';
import { createRandom } from './random.ts';
import { createWriter } from './text.ts';
import { tellStory } from './ticket-story.ts';

export interface GenerateOptions {
  tickets: number;
  /** In all; they are spread unevenly. */
  replies: number;
  /** The same tickets come of the same one. */
  seed: number;
  /** The end of the story, which lasts three years. */
  until: Date;
  /** How many tickets share a transaction. */
  batchSize: number;
  onProgress(made: { tickets: number; replies: number }): void;
}

const YEARS_MS = 3 * 365 * 24 * 60 * 60 * 1000;

/** Fills a database with a helpdesk's past, in order of time. What is there already stays. */
export async function generate(
  { people, tickets, fields }: Pick<Storage, 'people' | 'tickets' | 'fields'>,
  options: GenerateOptions,
): Promise<void> {
  const { seed, until, batchSize, onProgress } = options;
  const since = new Date(until.getTime() - YEARS_MS);
  const random = createRandom(seed);
  await defineFields(fields, random, since);
  const population = await addPopulation(people, random, { tickets: options.tickets, since });
  const deps = { random, writer: createWriter(random), population, until };
  const made = { tickets: 0, replies: 0 };
  while (made.tickets < options.tickets) {
    const size = Math.min(batchSize, options.tickets - made.tickets);
    const batch = [];
    for (let i = 0; i < size; i++) {
      const left = options.tickets - made.tickets;
      const replies = left === 1 ? options.replies - made.replies : drawReplies(left);
      batch.push(await tellStory(deps, timeOf(made.tickets), replies));
      made.tickets += 1;
      made.replies += replies;
    }
    await tickets.commit(batch);
    onProgress({ ...made });
  }

  /** Keeps to the mean that is left, so that all are given out in the end. */
  function drawReplies(left: number): number {
    const unmade = options.replies - made.replies;
    return Math.min(unmade, random.geometric(unmade / left));
  }

  function timeOf(n: number): Date {
    return new Date(since.getTime() + ((n + random.next()) / options.tickets) * YEARS_MS);
  }
}
