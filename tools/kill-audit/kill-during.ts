import { setTimeout as sleep } from 'node:timers/promises';
import type { KillableProcess } from './killable-process.ts';

export interface Load {
  connections: number;
  /** Writes on one connection until the process is killed or `isOver` returns true. */
  write(isOver: () => boolean): Promise<void>;
  /** Number of acknowledged requests so far, by kind. */
  acknowledged: Readonly<Record<string, number>>;
  /** Minimum number of acknowledged requests before the kill. */
  least: number;
}

/** Kills a process during concurrent writes. */
export async function killDuring(
  { connections, write, acknowledged, least }: Load,
  target: KillableProcess,
): Promise<void> {
  const before = countOf(acknowledged);
  let isKilled = false;
  const writing = Promise.all(Array.from({ length: connections }, () => write(() => isKilled)));
  while (countOf(acknowledged) < before + least) await Promise.race([sleep(5), writing]);
  await sleep(Math.random() * 200);
  isKilled = true;
  await target.kill();
  await writing;
}

export function countOf(acknowledged: Readonly<Record<string, number>>): number {
  return Object.values(acknowledged).reduce((sum, count) => sum + count, 0);
}
