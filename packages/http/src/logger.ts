import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';
import { redactSecrets } from './secrets.ts';

/** Who logs, what, and to where. */
export interface LoggerOptions {
  /** Name of the program, in every line. */
  name: string;
  level: string;
  /** For a terminal: coloured lines for people, else JSON. */
  isPretty: boolean;
  /** Where the lines go instead of standard output. */
  destination?: DestinationStream | undefined;
}

/**
 * A line is written within 100 ms. Under load many share one system call, which the event loop makes itself: to hand it
 * to a thread would cost more. Where nobody reads what is written, the program waits: it loses no line and fills no memory.
 */
const inBatches = { sync: true, minLength: 12_288, periodicFlush: 100 };

/** One line for each, as short as it can be. */
const forPeople = { singleLine: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' };

/**
 * The one logger of a program. Whatever is named like a secret is written as `[redacted]`, errors included. The end
 * of the process waits for the last line; only a SIGKILL can lose those of the last 100 ms.
 */
export function createLogger({ name, level, isPretty, destination }: LoggerOptions): Logger {
  const options = {
    name,
    level,
    formatters: { log: redactSecrets },
    serializers: { err: (err: Error) => redactSecrets(stdSerializers.err(err)) },
  };
  if (isPretty) return pino(options, destination ?? pretty({ ...forPeople, colorize: true, sync: true }));
  return pino(options, destination ?? toStandardOutput());
}

function toStandardOutput(): DestinationStream {
  const output = pino.destination(inBatches);
  process.once('exit', () => output.flushSync());
  return output;
}
