import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { lazyModule } from '../fast/lazy-module.ts';
import { createLogOutput } from './log-output.ts';
import { redactSecrets } from './secrets.ts';

/** Options of a logger. */
export interface LoggerOptions {
  /** Program name in every line. */
  name: string;
  level: string;
  /** Writes coloured lines for a terminal instead of JSON. */
  isPretty: boolean;
  /** Returns further members of the current line, such as the ids of a trace. */
  readContext?: (() => object | undefined) | undefined;
  /** Destination of the lines. Default: standard output. */
  destination?: DestinationStream | undefined;
}

const STANDARD_OUTPUT = 1;

const loadPretty = lazyModule<typeof import('pino-pretty')>('pino-pretty', import.meta.url);

/** Prints each entry on one short line. */
const prettyOptions = { singleLine: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' };

/**
 * Creates the logger of a program. Members named like secrets are logged as `[redacted]`, even in errors. Process exit
 * waits for the last line; SIGKILL can lose the lines of the last 100 ms.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { name, level, isPretty, readContext, destination } = options;
  const settings = {
    name,
    level,
    ...(readContext && { mixin: () => readContext() ?? {} }),
    formatters: { log: redactSecrets },
    serializers: { err: (err: Error) => redactSecrets(stdSerializers.err(err)) },
  };
  if (isPretty)
    return pino(
      settings,
      destination ?? loadPretty().build({ ...prettyOptions, colorize: true, sync: true }),
    );
  return pino(settings, destination ?? createLogOutput(STANDARD_OUTPUT));
}
