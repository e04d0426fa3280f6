import type { RequestListener } from 'node:http';
import type Provider from 'oidc-provider';
import type { Logger } from 'pino';
import type { KeyRing } from '../keys/key-ring.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import { repeat } from './repeat.ts';

export interface HotProviderOptions {
  ring: KeyRing;
  build: (keys: readonly SigningKey[]) => Provider;
  /** How often the stored key set is looked at. */
  pollMs: number;
  log: Logger;
}

/**
 * Serves by a provider that has the keys of now. The library takes its keys when it is built, so other keys are
 * another provider; requests in flight end with the one they began with.
 */
export async function createHotProvider({ ring, build, pollMs, log }: HotProviderOptions) {
  await ring.refresh();
  let handle = build(ring.keys()).callback();

  const following = repeat(async () => {
    try {
      if (await ring.refresh()) handle = build(ring.keys()).callback();
    } catch (err) {
      log.error({ err }, 'the signing keys could not be read');
    }
  }, pollMs);

  return {
    handle: ((request, response) => handle(request, response)) satisfies RequestListener,
    stop: following.stop,
  };
}
