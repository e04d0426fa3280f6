import { expect, it } from 'vitest';
import { releaseStartUpMemory } from './start-up-memory.ts';

it('releases what is no longer referenced', () => {
  let garbage: unknown[] | undefined = Array.from({ length: 1_000_000 }, (_, i) => ({ i }));
  expect(garbage).toHaveLength(1_000_000);
  const before = process.memoryUsage().heapUsed;
  garbage = undefined;
  releaseStartUpMemory();
  expect(process.memoryUsage().heapUsed).toBeLessThan(before - 1_000_000 * Float64Array.BYTES_PER_ELEMENT);
  expect(garbage).toBeUndefined();
});

it('leaves no function for collecting garbage behind', () => {
  releaseStartUpMemory();
  expect('gc' in globalThis).toBe(false);
});
