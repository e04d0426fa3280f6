import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export interface LoggerOptions {
  /** Name of the program, in every line. */
  name: string;
  level: string;
  /** For a terminal: coloured lines for people, else JSON. */
  isPretty: boolean;
}

/** What must never be written, wherever in a logged object it may hide. */
const secretPaths = [
  'authorization',
  'cookie',
  'client_secret',
  'client_assertion',
  'password',
  'token',
  'code',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `*.headers["${name}"]`]);

/** The one logger of a program, writing to standard output. */
export function createLogger({ name, level, isPretty }: LoggerOptions): Logger {
  const options = { name, level, redact: { paths: secretPaths, censor: '[redacted]' } };
  return isPretty ? pino(options, pretty({ colorize: true, ignore: 'pid,hostname' })) : pino(options);
}
