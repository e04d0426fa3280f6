import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Parses the command line of a developer tool with `parseArgs`. `--help` prints `usage` and exits. An unknown option
 * prints one line and exits with code 2.
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

/** Parses the positive number of an option; exits with an error for anything else. */
export function readCount(option: string, text: string): number {
  const count = Number(text);
  return count > 0 && count < Number.POSITIVE_INFINITY
    ? count
    : refuseCommandLine(`${option} needs a number above 0, not '${text}'.`);
}

/** Prints the problem of the command line and exits with code 2. */
export function refuseCommandLine(problem: string): never {
  process.stderr.write(`${problem} (use --help for usage)\n`);
  process.exit(2);
}
