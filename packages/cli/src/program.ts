import { describeFailure } from '@keydesk/config/load';
import { openStandardOutput } from '@keydesk/server/standard-output';
import { Command, CommanderError } from 'commander';

const FAILURE = 1;
const INVALID_ARGUMENTS = 2;
const CHECK_FAILED = 3;

/** Negative result of a check that has already printed it; the command exits with 3. */
export class CheckFailure extends Error {
  override name = 'CheckFailure';
}

/** Where a program writes its results and its errors. */
export interface CliOutput {
  /** Writes to standard output. */
  print: (text: string) => void;
  /** Writes to standard error. */
  printError: (text: string) => void;
}

/** The output of this process. */
export function openOutput(): CliOutput {
  return { print: openStandardOutput(), printError: (text) => void process.stderr.write(text) };
}

/** Creates a program without commands; `runProgram` runs it. */
export function createProgram(
  { name, version, description }: { name: string; version: string; description: string },
  { print, printError }: CliOutput,
): Command {
  return new Command(name)
    .version(version)
    .description(description)
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: printError })
    .showHelpAfterError('(use --help for usage)');
}

/**
 * Runs one command, and prints why it failed.
 *
 * @returns exit code: 0 success, 1 failure, 2 invalid arguments, 3 a check with a negative result
 */
export async function runProgram(
  program: Command,
  args: readonly string[],
  { printError }: CliOutput,
): Promise<number> {
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (err) {
    if (err instanceof CommanderError) return err.exitCode === 0 ? 0 : INVALID_ARGUMENTS;
    if (err instanceof CheckFailure) return CHECK_FAILED;
    printError(`${describeFailure(err)}\n`);
    return FAILURE;
  }
}
