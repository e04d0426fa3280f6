import { setTimeout as sleep } from 'node:timers/promises';
import type { KillableProcess } from './killable-process.ts';

export interface Load {
  connections: number;
  /** What one connection does until the process is killed, or `isOver` says so. */
  write(isOver: () => boolean): Promise<void>;
  /** Acknowledged requests by what they did, so far. */
  acknowledged: Readonly<Record<string, number>>;
  /** How many of them there are to be before the kill, which then comes at any moment. */
  least: number;
}

/** Kills a process while several connections write. */
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
