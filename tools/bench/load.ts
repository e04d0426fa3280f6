import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Requests that are sent to a server repeatedly. */
export interface Load {
  url: string;
  requests: readonly {
    method: string;
    path: string;
    headers?: Readonly<Record<string, string>>;
    body?: string;
  }[];
  /** Number of connections. Default: 16. */
  connections?: number;
  /** Whether a unique time is appended to the path of each request. */
  hasUniqueTimes?: boolean;
}

const LONG_AGO = Date.UTC(2000, 0);

/**
 * Creates a generator of unique times before all stored data; its random start makes them unique across processes.
 */
export function createUniqueTimes(): () => string {
  let at = Math.floor(Math.random() * LONG_AGO);
  return () => new Date(at++).toISOString();
}

export interface Measured {
  requestsPerSecond: number;
  p99Milliseconds: number;
}

/**
 * Sends load from a separate process, so that the generator has its own event loop.
 *
 * @throws {Error} when a response is neither 2xx nor 304, because figures of errors mean nothing
 */
export function measure(load: Load, seconds: number): Promise<Measured> {
  return runGenerator('load-generator.ts', { ...load, seconds });
}

/** Runs a generator, which reads its load from standard input and prints its measurements. */
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
