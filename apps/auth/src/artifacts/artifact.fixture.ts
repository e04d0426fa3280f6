import { randomUUID } from 'node:crypto';
import type { Artifact } from './artifact-store.ts';

export const now = new Date('2026-03-01T12:00:00.000Z');
export const later = after(60_000);

export function after(milliseconds: number): Date {
  return new Date(now.getTime() + milliseconds);
}

/** Creates a refresh token that expires at `later` by default. */
export function artifact(members: Partial<Artifact> = {}): Artifact {
  const payload = Buffer.from(randomUUID());
  return { model: 'RefreshToken', key: randomUUID(), payload, expiresAt: later, ...members };
}

export function tenTimes<T>(race: (racer: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: 10 }, (_, racer) => race(racer)));
}

export const isTrue = (result: unknown): boolean => result === true;
