import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBackgroundTasks } from './background-tasks.ts';

describe('background tasks', () => {
  it('start after the current turn of the event loop, and are awaited by idle', async () => {
    const { run, idle } = createBackgroundTasks({ maxPending: 10, onError: fail });
    const order: string[] = [];
    run(async () => {
      order.push('begun');
      await sleep(5);
      // Tasks may start further tasks.
      run(async () => void order.push('more'));
    });
    order.push('answered');
    await idle();
    expect(order).toEqual(['answered', 'begun', 'more']);
  });

  it('report a rejection or a synchronous throw, and continue', async () => {
    const errors: unknown[] = [];
    const { run, idle } = createBackgroundTasks({ maxPending: 10, onError: (err) => errors.push(err) });
    run(() => Promise.reject(new Error('rejected')));
    run(() => {
      throw new Error('thrown');
    });
    await idle();
    expect(errors).toEqual([new Error('rejected'), new Error('thrown')]);
  });

  it('are dropped and reported beyond the limit', async () => {
    const errors: unknown[] = [];
    let done = 0;
    const { run, requireCapacity, idle } = createBackgroundTasks({
      maxPending: 3,
      onError: (err) => errors.push(err),
    });
    for (let i = 0; i < 5; i += 1) {
      run(async () => {
        done += 1;
      });
    }
    expect(requireCapacity).toThrow('overloaded');
    await idle();
    expect(requireCapacity).not.toThrow();
    expect(done).toBe(3);
    expect(errors).toHaveLength(2);
  });
});

function fail(err: unknown): never {
  throw err;
}
