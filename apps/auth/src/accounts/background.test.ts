import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBackground } from './background.ts';

describe('work in the background', () => {
  it('begins when the current turn is over, and is waited for', async () => {
    const { run, idle } = createBackground({ maxPending: 10, onError: fail });
    const order: string[] = [];
    run(async () => {
      order.push('begun');
      await sleep(5);
      // Work may bring about more of it.
      run(async () => void order.push('more'));
    });
    order.push('answered');
    await idle();
    expect(order).toEqual(['answered', 'begun', 'more']);
  });

  it('reports what fails, also at once, and goes on', async () => {
    const errors: unknown[] = [];
    const { run, idle } = createBackground({ maxPending: 10, onError: (err) => errors.push(err) });
    run(() => Promise.reject(new Error('rejected')));
    run(() => {
      throw new Error('thrown');
    });
    await idle();
    expect(errors).toEqual([new Error('rejected'), new Error('thrown')]);
  });

  it('takes on no more than it is told, and reports what it drops', async () => {
    const errors: unknown[] = [];
    let done = 0;
    const { run, requireRoom, idle } = createBackground({
      maxPending: 3,
      onError: (err) => errors.push(err),
    });
    for (let i = 0; i < 5; i += 1) {
      run(async () => {
        done += 1;
      });
    }
    expect(requireRoom).toThrow('Too much is being done at once');
    await idle();
    expect(requireRoom).not.toThrow();
    expect(done).toBe(3);
    expect(errors).toHaveLength(2);
  });
});

function fail(err: unknown): never {
  throw err;
}
