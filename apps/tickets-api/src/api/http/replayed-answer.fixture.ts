import type { Answer } from '../../tests/api.fixture.ts';

/** Returns the parts of an answer that a replay must repeat. */
export function replayedParts({ status, text, headers }: Answer) {
  const names = ['Location', 'ETag', 'Keydesk-Changed'];
  return { status, text, headers: names.map((name) => headers.get(name)) };
}

/** Whether an answer is a replay. */
export function isReplay({ headers }: Answer): boolean {
  return headers.get('Idempotency-Replayed') === 'true';
}
