import { toSqlitePath } from '@keydesk/storage/url';
import { type Command, InvalidArgumentError } from 'commander';
import type { Storage } from '../helpdesk/storage.ts';
import { type CliContext, loadStorageUrl, parseCount, withStorage } from './context.ts';
import { createProgress } from './progress.ts';

interface Options {
  tickets: number;
  replies: number;
  seed: number;
  until: Date;
}

/** Larger batches write each page of an index less often; MongoDB limits the duration of a transaction. */
const BATCH_SIZES = { sqlite: 2_000, mongodb: 50 } as const;

/** Adds the command `generate`, which creates tickets for trials and benchmarks. */
export function addGenerateCommand(program: Command, context: CliContext): void {
  program
    .command('generate')
    .description('add random tickets spread over three years, with people, replies, events and changes')
    .requiredOption('--tickets <count>', 'number of tickets', parseCount)
    .requiredOption('--replies <count>', 'total number of replies', parseCount)
    .option('--seed <number>', 'random seed; use each only once per database', parseCount, 1)
    .option('--until <time>', 'end of the three years (default: last midnight, UTC)', parseTime, midnight())
    .action(async (options: Options) => {
      const { generate } = await import('../generate/generate.ts');
      const progress = createProgress(context, { total: options.tickets, what: 'tickets' });
      const kind = toSqlitePath(loadStorageUrl(context.env)) === undefined ? 'mongodb' : 'sqlite';
      const batchSize = BATCH_SIZES[kind];
      const onProgress = ({ tickets }: { tickets: number }) => progress(tickets);
      const work = (storage: Storage) => generate(storage, { ...options, batchSize, onProgress });
      await withStorage(context, work, { isBulk: true });
      context.print(`Added ${options.tickets} tickets and ${options.replies} replies.\n`);
    });
}

function parseTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('Must be a time such as 2026-03-01T12:00:00Z.');
  return time;
}

function midnight(): Date {
  return new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`);
}
