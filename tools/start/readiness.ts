import { get as getPlain } from 'node:http';
import { get as getByTls } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** Program with a readiness URL, which responds 200 when the program is ready. */
export interface ReadyProgram {
  name: string;
  readyUrl: string;
}

/** Generous limit for a small machine that has just installed the dependencies. */
const READY_LIMIT_SECONDS = 120;
const READY_POLL_MS = 20;
const ANSWER_LIMIT_MS = 5_000;

/** Resolves when a program is ready, or the signal is aborted. @throws {Error} when it takes too long */
export async function untilReady(
  { name, readyUrl }: ReadyProgram,
  { limitSeconds = READY_LIMIT_SECONDS, signal }: { limitSeconds?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const giveUpAt = performance.now() + 1_000 * limitSeconds;
  while (!signal?.aborted && (await statusOf(readyUrl)) !== 200) {
    if (performance.now() > giveUpAt)
      throw new Error(
        `${name} was not ready within ${limitSeconds} seconds (${readyUrl}); see its log above`,
      );
    await sleep(READY_POLL_MS);
  }
}

/** Returns the status of a local URL without verifying its certificate, which may not match the address. */
function statusOf(url: string): Promise<number | undefined> {
  const get = url.startsWith('https:') ? getByTls : getPlain;
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    get(url, { rejectUnauthorized: false, agent: false, signal }, (response) =>
      resolve(response.resume().statusCode),
    ).on('error', () => resolve(undefined));
  });
}
