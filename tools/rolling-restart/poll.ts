import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 120_000;
const PAUSE_MS = 50;

/** Polls until a condition holds. @throws {Error} after the time limit */
export async function poll(what: string, isMet: () => Promise<boolean>, limitMs = LIMIT_MS): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  while (!(await isMet())) {
    if (performance.now() > giveUpAt) throw new Error(`Timed out waiting for ${what}.`);
    await sleep(PAUSE_MS);
  }
}

export async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
