import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { repeatTask } from '../index.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a repeating task runs after the delay, and again an interval after each run has ended', async () => {
  const startedAt: number[] = [];
  const start = Date.now();
  const task = repeatTask(
    async () => {
      startedAt.push(Date.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 30));
    },
    { intervalMs: 100, delayMs: 10 },
  );
  await vi.advanceTimersByTimeAsync(280);
  const stopped = task.stop();
  await vi.advanceTimersByTimeAsync(500);
  await stopped;
  expect(startedAt).toEqual([10, 140, 270]);
});

it('a repeating task waits for the interval before its first run by default', async () => {
  const run = vi.fn(async () => undefined);
  const task = repeatTask(run, { intervalMs: 100 });
  await vi.advanceTimersByTimeAsync(99);
  expect(run).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledOnce();
  await task.stop();
});

it('stopping a repeating task aborts the current run, waits for its end and prevents the next', async () => {
  const ends: string[] = [];
  const task = repeatTask(
    async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      ends.push('task');
    },
    { intervalMs: 10 },
  );
  await vi.advanceTimersByTimeAsync(10);
  await task.stop();
  ends.push('stop');
  await vi.advanceTimersByTimeAsync(100);
  expect(ends).toEqual(['task', 'stop']);
});
