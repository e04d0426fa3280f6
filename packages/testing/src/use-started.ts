import { afterAll, beforeAll } from 'vitest';

/** What is started before the tests of a suite and stopped after them. It is there only meanwhile. */
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
