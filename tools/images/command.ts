import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const MAX_OUTPUT = 2 ** 26;

export interface CommandOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/** Runs a program; resolves with its standard output. @throws {Error} with all its output when it fails */
export async function run(program: string, args: readonly string[], options: CommandOptions = {}) {
  try {
    const { stdout } = await execute(program, [...args], { ...options, maxBuffer: MAX_OUTPUT });
    return stdout;
  } catch (err) {
    const { stdout = '', stderr = '' } = err as { stdout?: string; stderr?: string };
    const output = `${stdout}\n${stderr}`.trim();
    throw new Error(`${program} ${args.slice(0, 6).join(' ')} failed:\n${output}`, { cause: err });
  }
}

/** Whether a program succeeds. */
export async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

/** Returns those of the programs that are not on the PATH. */
export function findMissing(programs: readonly string[]): string[] {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/local/go/bin` };
  return programs.filter((program) => spawnSync('which', [program], { env }).status !== 0);
}

/** @throws {Error} unless the condition holds */
export function check(isMet: boolean, problem: string): asserts isMet {
  if (!isMet) throw new Error(problem);
}
