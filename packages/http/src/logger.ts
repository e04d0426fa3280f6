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

/** The one logger of a program. Whatever is named like a secret is written as `[redacted]`, errors included. */
export function createLogger({ name, level, isPretty, destination }: LoggerOptions): Logger {
  const options = {
    name,
    level,
    formatters: { log: redactSecrets },
    serializers: { err: (err: Error) => redactSecrets(stdSerializers.err(err)) },
  };
  if (isPretty)
    return pino(options, destination ?? pretty({ colorize: true, ignore: 'pid,hostname', sync: true }));
  return destination ? pino(options, destination) : pino(options);
}
