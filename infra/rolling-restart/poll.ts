import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 120_000;
const PAUSE_MS = 50;

/** Asks again and again until the answer is yes. @throws {Error} when it is not in time */
export async function poll(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + LIMIT_MS;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`Waited in vain for ${what}.`);
    await sleep(PAUSE_MS);
  }
}

export async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
