import type { Program } from './program.ts';

/** Returns the process ids that have logged a message, once each, in order. */
export function processesThatLogged({ output }: Pick<Program, 'output'>, message: string): number[] {
  const lines = output().stdout.split('\n').slice(0, -1);
  const entries = lines.map((line): { msg?: string; pid: number } => JSON.parse(line));
  return [...new Set(entries.filter(({ msg }) => msg === message).map(({ pid }) => pid))];
}
