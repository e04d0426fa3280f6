import type { ArtifactStore } from '../provider/artifact-store.ts';
import { changeKeys } from './change-keys.ts';
import type { KeyStore } from './key-store.ts';

const BATCH = 500;
const EVER = new Date('9999-01-01');
/** The one kind of artifact that never expires: by it programs manage the clients that they registered. */
const LASTING_MODEL = 'RegistrationAccessToken';

/**
 * Removes whatever is sealed with the master secret, for a server that begins anew under another: sessions, consents
 * and what was issued first, so that what is broken off halfway is done by doing it again.
 */
export async function discardSealed({
  keys,
  artifacts,
}: {
  keys: KeyStore;
  artifacts: Pick<ArtifactStore, 'findOfModel' | 'destroy' | 'purgeExpired'>;
}): Promise<void> {
  while ((await artifacts.purgeExpired(EVER, BATCH)) > 0);
  for (;;) {
    const found = await artifacts.findOfModel(LASTING_MODEL, new Date(0), BATCH);
    if (found.length === 0) break;
    await Promise.all(found.map(({ model, key }) => artifacts.destroy(model, key)));
  }
  await changeKeys(keys, () => []);
}
