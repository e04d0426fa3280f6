import type { Sealer } from '../keys/sealing.ts';
import type { Artifact } from './artifact-store.ts';

/** Seals the payload of an artifact as JSON, bound to its model and key so that it opens for no other artifact. */
export function sealPayload(
  sealer: Pick<Sealer, 'seal'>,
  { model, key }: Pick<Artifact, 'model' | 'key'>,
  content: object,
): Uint8Array {
  return sealer.seal(Buffer.from(JSON.stringify(content)), `${model}:${key}`);
}

/**
 * Opens a sealed payload.
 *
 * @throws {Error} when it was sealed to another model or key, or was altered
 */
export function openPayload<Content extends object>(
  sealer: Pick<Sealer, 'open'>,
  { model, key, payload }: Pick<Artifact, 'model' | 'key' | 'payload'>,
): Content {
  return JSON.parse(sealer.open(payload, `${model}:${key}`).toString());
}
