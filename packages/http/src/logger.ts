import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';
import { createLogOutput } from './log-output.ts';
import { writeByNativeJson } from './native-json.ts';
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

const STANDARD_OUTPUT = 1;

/** One line for each, as short as it can be. */
const forPeople = { singleLine: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' };

/**
 * The one logger of a program. Whatever is named like a secret is written as `[redacted]`, errors included. The end
 * of the process waits for the last line; a SIGKILL can lose those of the last 100 ms.
 */
export function createLogger({ name, level, isPretty, destination }: LoggerOptions): Logger {
  const options = {
    name,
    level,
    formatters: { log: redactSecrets },
    serializers: { err: (err: Error) => redactSecrets(stdSerializers.err(err)) },
  };
  if (isPretty) return pino(options, destination ?? pretty({ ...forPeople, colorize: true, sync: true }));
  const log = pino(options, destination ?? createLogOutput(STANDARD_OUTPUT));
  writeByNativeJson(log);
  return log;
}
