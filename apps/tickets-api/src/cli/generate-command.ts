import { sqlitePathOf } from '@keydesk/storage/url';
import { type Command, InvalidArgumentError } from 'commander';
import { generate } from '../generate/generate.ts';
import type { Storage } from '../storage/storage.ts';
import { type CliContext, parseCount, storageUrlOf, withStorage } from './context.ts';
import { createProgress } from './progress.ts';

interface Options {
  tickets: number;
  replies: number;
  seed: number;
  until: Date;
}

/** Larger ones write less in all, for each page of an index once; MongoDB bounds how long a transaction may last. */
const BATCH_SIZES = { sqlite: 2_000, mongodb: 50 } as const;

/** `generate`: tickets to try and to measure with. */
export function addGenerateCommand(program: Command, context: CliContext): void {
  program
    .command('generate')
    .description('add tickets of three years, made up, with their people, replies, events and changes')
    .requiredOption('--tickets <count>', 'how many', parseCount)
    .requiredOption('--replies <count>', 'how many to all of them together', parseCount)
    .option(
      '--seed <number>',
      'the same ones come of the same number; a database takes each once',
      parseCount,
      1,
    )
    .option(
      '--until <time>',
      'when the three years end; by default this midnight, UTC',
      parseTime,
      midnight(),
    )
    .action(async (options: Options) => {
      const progress = createProgress(context, { total: options.tickets, what: 'tickets' });
      const kind = sqlitePathOf(storageUrlOf(context.env)) === undefined ? 'mongodb' : 'sqlite';
      const batchSize = BATCH_SIZES[kind];
      const onProgress = ({ tickets }: { tickets: number }) => progress(tickets);
      const work = (storage: Storage) => generate(storage, { ...options, batchSize, onProgress });
      await withStorage(context, work, { isBulk: true });
      context.print(`${options.tickets} tickets and ${options.replies} replies were added.\n`);
    });
}

function parseTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It must be a time like 2026-03-01T12:00:00Z.');
  return time;
}

function midnight(): Date {
  return new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`);
}
