import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Reads the command line of a program for developers as `parseArgs` does. `--help` prints `usage` and ends the program;
 * so does, with one line and exit code 2, whatever `config` does not know.
 */
export function readCommandLine<const C extends ParseArgsConfig>(usage: string, config: C) {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs({ ...config, args });
  } catch (err) {
    return refuseCommandLine(err instanceof Error ? err.message : String(err));
  }
}

/** The number that an option stands for. Ends the program when it is none above 0. */
export function readCount(option: string, text: string): number {
  const count = Number(text);
  return count > 0 && count < Number.POSITIVE_INFINITY
    ? count
    : refuseCommandLine(`${option} is a number above 0, not '${text}'.`);
}

/** Ends the program with what is wrong with its command line. */
export function refuseCommandLine(problem: string): never {
  process.stderr.write(`${problem} (add --help for what is possible)\n`);
  process.exit(2);
}
