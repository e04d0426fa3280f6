import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import { sendTogether } from './index.ts';

/** Lets everything go on that waits for nothing but the turn. */
const restOfTurn = () => new Promise(process.nextTick);

describe('answers sent together', () => {
  it('are those that are made in one turn of the event loop, in their order', async () => {
    const { answer, events } = recordAnswers();
    const answers = [answer('first'), answer('second')];
    await restOfTurn();
    expect(events).toEqual(['first made', 'second made']);
    await Promise.all(answers);
    expect(events.slice(2)).toEqual(['first sent', 'second sent']);
  });

  it('wait for none that takes longer than the turn', async () => {
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

  it('keep a failure from nobody', async () => {
    await expect(recordAnswers().answer('failed', Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
  });
});

function recordAnswers() {
  const events: string[] = [];
  const send = sendTogether();
  async function answer(name: string, work?: Promise<void>): Promise<void> {
    await send({} as Context, async () => {
      await work;
      events.push(`${name} made`);
    });
    events.push(`${name} sent`);
  }
  return { answer, events };
}
