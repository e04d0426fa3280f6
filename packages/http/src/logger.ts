import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';
import { redactSecrets } from './secrets.ts';

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
 * The one logger of a program. Whatever is named like a secret is written as `[redacted]`, errors included.
 *
 * Lines are written while the program goes on: under load many share one system call, and the end of the process
 * waits for the last. Only a SIGKILL can lose those of its last moment.
 */
export function createLogger({ name, level, isPretty, destination }: LoggerOptions): Logger {
  const options = {
    name,
    level,
    formatters: { log: redactSecrets },
    serializers: { err: (err: Error) => redactSecrets(stdSerializers.err(err)) },
  };
  if (isPretty)
    return pino(options, destination ?? pretty({ colorize: true, ignore: 'pid,hostname', sync: true }));
  return pino(options, destination ?? pino.destination({ sync: false }));
}
