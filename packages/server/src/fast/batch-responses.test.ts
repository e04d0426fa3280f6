import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import { batchResponses } from '../index.ts';

/** Resolves after all microtasks of the current turn. */
const restOfTurn = () => new Promise(process.nextTick);

describe('batched responses', () => {
  it('are all responses of one turn of the event loop, in order', async () => {
    const { answer, events } = recordAnswers();
    const answers = [answer('first'), answer('second')];
    await restOfTurn();
    expect(events).toEqual(['first made', 'second made']);
    await Promise.all(answers);
    expect(events.slice(2)).toEqual(['first sent', 'second sent']);
  });

  it('do not wait for a response that takes longer than the turn', async () => {
    const { answer, events } = recordAnswers();
    const work = Promise.withResolvers<void>();
    const slow = answer('slow', work.promise);
    await answer('quick');
    expect(events).toEqual(['quick made', 'quick sent']);
    await nextTurn();
    work.resolve();
    await slow;
    expect(events.slice(2)).toEqual(['slow made', 'slow sent']);
  });

  it('do not hold a large body back', async () => {
    const { answer, events } = recordAnswers();
    const answers = [answer('small'), answer('large', undefined, 64 * 1024)];
    await restOfTurn();
    expect(events).toEqual(['small made', 'large made', 'large sent']);
    await Promise.all(answers);
  });

  it('propagate errors', async () => {
    await expect(recordAnswers().answer('failed', Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
  });
});

function recordAnswers() {
  const events: string[] = [];
  const send = batchResponses();
  async function answer(name: string, work?: Promise<void>, length = 1000): Promise<void> {
    await send({ response: { length } } as Context, async () => {
      await work;
      events.push(`${name} made`);
    });
    events.push(`${name} sent`);
  }
  return { answer, events };
}
