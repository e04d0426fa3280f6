import cluster from 'node:cluster';
import type { Answer, Limit, Question } from './primary-counts.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { createReplayGuard, type ReplayGuard } from './replay-guard.ts';

/**
 * Counts points and used keys for the workers of `node:cluster`, so that all of them together apply a limit once. Call
 * it in the primary before the first worker starts. Counts survive the replacement of workers.
 */
export function countForWorkers(): void {
  const limiters = new Map<string, RateLimiter>();
  const guards = new Map<string, ReplayGuard>();

  function toLimiter(limit: Limit): RateLimiter {
    const id = `${limit.keyPrefix} ${limit.points} ${limit.durationSeconds}`;
    const limiter = limiters.get(id) ?? createRateLimiter(limit);
    limiters.set(id, limiter);
    return limiter;
  }

  function toGuard(keyPrefix: string): ReplayGuard {
    const guard = guards.get(keyPrefix) ?? createReplayGuard({ keyPrefix });
    guards.set(keyPrefix, guard);
    return guard;
  }

  async function answer(question: Question): Promise<Answer> {
    const { ask, key } = question;
    if (ask === 'firstUse') return toGuard(question.keyPrefix).firstUse(key, question.ttlSeconds);
    const limiter = toLimiter(question.limit);
    if (ask === 'consume') return limiter.consume(key, question.cost);
    await limiter.refund(key, question.cost);
    return true;
  }

  cluster.on('message', (worker, message) => {
    if (typeof message !== 'object' || message === null || !('question' in message)) return;
    const send = (result: Answer) => worker.isConnected() && worker.send({ answered: message.id, result });
    // A full guard rejects: the worker then decides alone.
    answer(message.question).then(send, () => undefined);
  });
}
