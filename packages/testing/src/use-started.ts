import { afterAll, beforeAll } from 'vitest';

/** Starts a resource before the tests of a suite and stops it after them. */
export function useStarted<Started extends { stop(): Promise<void> }>(
  start: () => Promise<Started>,
): Started {
  const started = {} as Started;
  beforeAll(async () => {
    Object.defineProperties(started, Object.getOwnPropertyDescriptors(await start()));
  });
  afterAll(() => started.stop());
  return started;
}
