import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createWorkQueue } from './work-queue.ts';

describe('a work queue', () => {
  it('runs all tasks, within the limit of concurrency', async () => {
    const queue = createWorkQueue({ concurrency: 3, maxWaiting: 100 });
    let running = 0;
    let most = 0;
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        queue.run(async () => {
          running += 1;
          most = Math.max(most, running);
          await sleep(1);
          running -= 1;
          return i;
        }),
      ),
    );
    expect(most).toBe(3);
    expect(results).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  it('runs tasks in order of arrival', async () => {
    const queue = createWorkQueue({ concurrency: 1, maxWaiting: 10 });
    const order: number[] = [];
    const task = (i: number) => async () => {
      await sleep(1);
      order.push(i);
    };
    await Promise.all([1, 2, 3].map((i) => queue.run(task(i))));
    expect(order).toEqual([1, 2, 3]);
  });

  it('rejects at once, with 503 and Retry-After, when it is full', async () => {
    const queue = createWorkQueue({ concurrency: 1, maxWaiting: 2 });
    const slow = () => sleep(50);
    const accepted = [queue.run(slow), queue.run(slow), queue.run(slow)];
    await expect(queue.run(slow)).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
      retryAfterSeconds: expect.toSatisfy((seconds) => Number.isInteger(seconds) && seconds > 0),
    });
    await Promise.all(accepted);
    await queue.run(slow);
  });

  it('rejects at once, with 429 and Retry-After, when one key has used its share', async () => {
    const queue = createWorkQueue({ concurrency: 1, maxWaiting: 10, maxPerKey: 2 });
    const slow = () => sleep(20);
    const accepted = [queue.run(slow, ['one', 'two']), queue.run(slow, ['one'])];
    await expect(queue.run(slow, ['one', 'three'])).rejects.toMatchObject({
      code: 'too_many_requests',
      status: 429,
      retryAfterSeconds: expect.toSatisfy((seconds) => Number.isInteger(seconds) && seconds > 0),
    });
    await Promise.all([...accepted, queue.run(slow, ['two']), queue.run(slow, ['three'])]);
    await Promise.all([queue.run(slow, ['one']), queue.run(slow, ['one'])]);
  });

  it('continues after a task that fails', async () => {
    const queue = createWorkQueue({ concurrency: 1, maxWaiting: 10 });
    const failures = [1, 2, 3].map(() => queue.run(() => Promise.reject(new Error('no'))));
    expect((await Promise.allSettled(failures)).map(({ status }) => status)).toEqual(
      Array(3).fill('rejected'),
    );
    expect(await queue.run(async () => 'done')).toBe('done');
  });
});
