import type { Answer } from './api.fixture.ts';

/** Parts of an answer that a repetition of its request must return again. */
export function received({ status, text, headers }: Answer) {
  const names = ['Location', 'ETag', 'Keydesk-Changed'];
  return { status, text, headers: names.map((name) => headers.get(name)) };
}

/** Whether an earlier request made what is answered. */
export function isReplay({ headers }: Answer): boolean {
  return headers.get('Idempotency-Replayed') === 'true';
}
