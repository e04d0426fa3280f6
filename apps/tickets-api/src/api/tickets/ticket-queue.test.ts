import { AppError } from '@keydesk/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTicketQueue } from '../../helpdesk/commit/ticket-queue.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const MAX_WAIT_MS = 1_000;
const busy = expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 1 });

/** A queue with changes that end on command, and a log of their steps. */
function setUp() {
  let refusals = 0;
  const queue = createTicketQueue({ maxWaitMs: MAX_WAIT_MS, onRefusal: () => refusals++ });
  const started: string[] = [];

  function change(name: string, ...ticketIds: string[]) {
    const { promise, resolve: end, reject: fail } = Promise.withResolvers<string>();
    const result = queue.run(ticketIds, () => {
      started.push(name);
      return promise;
    });
    const outcome = result.catch((err: AppError) => err);
    return { outcome, end: () => end(name), fail: () => fail(new AppError('conflict', name)) };
  }

  return { queue, started, change, refusals: () => refusals };
}

/** Runs everything pending that does not depend on a timer. */
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('changes of one ticket', () => {
  test('run one after another in order of arrival, even after failures', async () => {
    const { change, started, queue } = setUp();
    const [first, second, third] = [change('first', 'a'), change('second', 'a'), change('third', 'a')];
    await settle();
    expect(started).toEqual(['first']);
    first.fail();
    await settle();
    expect(started).toEqual(['first', 'second']);
    second.end();
    third.end();
    expect(await second.outcome).toBe('second');
    expect(await third.outcome).toBe('third');
    expect(await first.outcome).toMatchObject({ code: 'conflict' });
    expect(queue.size).toBe(0);
  });

  test('do not wait for changes of another ticket', async () => {
    const { change, started } = setUp();
    change('one', 'a');
    change('another', 'b');
    change('none');
    await settle();
    expect(started).toEqual(['one', 'another', 'none']);
  });

  test('are retried while another process is faster, until the patience ends', async () => {
    const { queue, refusals } = setUp();
    const lose = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 1));
    let tries = 0;
    const winner = queue.run(['a'], async () => (++tries > 100 ? tries : lose()));
    const loser = queue.run(['b'], lose).catch((err: AppError) => err);
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MS + 1);
    expect(await winner).toBe(101);
    expect([await loser, refusals(), queue.size]).toEqual([busy, 1, 0]);
  });
});

describe('changes of several tickets', () => {
  test('wait for all their tickets and never deadlock', async () => {
    const { change, started, queue } = setUp();
    const both = [change('ab', 'a', 'b'), change('ba', 'b', 'a'), change('b', 'b'), change('aa', 'a', 'a')];
    await settle();
    expect(started).toEqual(['ab']);
    for (const { end } of both) end();
    const outcomes = await Promise.all(both.map(({ outcome }) => outcome));
    expect(outcomes).toEqual(['ab', 'ba', 'b', 'aa']);
    expect(queue.size).toBe(0);
  });

  test('unblock later changes when their patience ends', async () => {
    const { change, started, queue } = setUp();
    const blocking = change('blocking', 'a');
    const waiting = change('waiting', 'a', 'b');
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MS / 2);
    const behind = change('behind', 'b');
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MS / 2);
    expect(await waiting.outcome).toEqual(busy);
    expect(started).toEqual(['blocking', 'behind']);
    blocking.end();
    behind.end();
    await Promise.all([blocking.outcome, behind.outcome]);
    expect(queue.size).toBe(0);
  });
});

describe('a change is rejected', () => {
  test('when its turn does not come within the patience, and never runs', async () => {
    const { change, started, refusals } = setUp();
    const slow = change('slow', 'a');
    const late = change('late', 'a');
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MS);
    expect(await late.outcome).toEqual(busy);
    slow.end();
    expect(await slow.outcome).toBe('slow');
    expect([started, refusals()]).toEqual([['slow'], 1]);
  });

  test('on arrival when the changes before it are expected to take longer than the patience', async () => {
    const { change, started, queue } = setUp();
    const changes = ['1', '2', '3', '4'].map((name) => change(name, 'a'));
    await vi.advanceTimersByTimeAsync(0.4 * MAX_WAIT_MS);
    changes[0]?.end();
    await settle();
    const refused = change('5', 'a');
    await settle();
    expect(await refused.outcome).toEqual(busy);
    for (const { end } of changes) end();
    await Promise.all(changes.map(({ outcome }) => outcome));
    expect([started, queue.size]).toEqual([['1', '2', '3', '4'], 0]);
    const later = change('6', 'a');
    later.end();
    expect(await later.outcome).toBe('6');
  });
});
