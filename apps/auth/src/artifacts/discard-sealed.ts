import type { KeyStore } from '../keys/key-store.ts';
import { updateKeySet } from '../keys/key-store.ts';
import type { ArtifactStore } from './artifact-store.ts';

const BATCH = 500;
const EVER = new Date('9999-01-01');
/** The only model without expiry: tokens with which programs manage their registered clients. */
const LASTING_MODEL = 'RegistrationAccessToken';

/**
 * Deletes everything sealed with the master secret, so that a server can start with a new one. Sessions, consents and
 * issued artifacts are deleted first and the keys last, so that an interrupted run can be repeated.
 */
export async function discardSealed({
  keys,
  artifacts,
}: {
  keys: KeyStore;
  artifacts: Pick<ArtifactStore, 'findByModel' | 'destroy' | 'purgeExpired'>;
}): Promise<void> {
  while ((await artifacts.purgeExpired(EVER, BATCH)) > 0);
  for (;;) {
    const found = await artifacts.findByModel(LASTING_MODEL, new Date(0), BATCH);
    if (found.length === 0) break;
    await Promise.all(found.map(({ model, key }) => artifacts.destroy(model, key)));
  }
  await updateKeySet(keys, () => []);
}
