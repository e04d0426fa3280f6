import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What one server is asked, over and over. */
export interface Load {
  url: string;
  requests: readonly {
    method: string;
    path: string;
    headers?: Readonly<Record<string, string>>;
    body?: string;
  }[];
  /** How many ask at once; 16 by default. */
  connections?: number;
  /** Whether each request gets a time of its own at the end of its path. */
  hasOwnTimes?: boolean;
}

const LONG_AGO = Date.UTC(2000, 0);

/** Times of before anything was stored, no two of them the same, from one process or another. */
export function createOwnTimes(): () => string {
  let at = Math.floor(Math.random() * LONG_AGO);
  return () => new Date(at++).toISOString();
}

export interface Measured {
  requestsPerSecond: number;
  p99Milliseconds: number;
}

/**
 * Sends load for some seconds from a process of its own, so that the generator shares no event loop with anything.
 *
 * @throws {Error} when any answer is neither 2xx nor 304: a figure over refusals would mean nothing
 */
export function measure(load: Load, seconds: number): Promise<Measured> {
  return runGenerator('load-generator.ts', { ...load, seconds });
}

/** Runs a generator, which reads its load on standard input and prints what it measured. */
export async function runGenerator<M extends Measured = Measured>(script: string, load: object): Promise<M> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(load));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${script} failed.`);
  return JSON.parse(output) as M;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
