import type { RequestListener } from 'node:http';
import { repeatTask } from '@keydesk/server';
import type Provider from 'oidc-provider';
import type { Logger } from 'pino';
import type { KeyRing } from '../keys/key-ring.ts';
import type { SigningKey } from '../keys/signing-key.ts';

export interface HotProviderOptions {
  ring: KeyRing;
  build: (keys: readonly SigningKey[]) => Provider;
  /** Interval in milliseconds at which the stored key set is read. */
  pollMs: number;
  log: Logger;
}

/**
 * Creates a request handler that always uses a provider with the current keys. oidc-provider reads its keys at
 * construction, so changed keys need a new provider; requests in flight finish with the old one.
 */
export async function createHotProvider({ ring, build, pollMs, log }: HotProviderOptions) {
  await ring.refresh();
  let handle = build(ring.keys()).callback();

  async function refresh(): Promise<void> {
    try {
      if (await ring.refresh()) handle = build(ring.keys()).callback();
    } catch (err) {
      log.error({ err }, 'signing keys could not be read');
    }
  }

  const polling = repeatTask(refresh, { intervalMs: pollMs });

  return {
    handle: ((request, response) => handle(request, response)) satisfies RequestListener,
    stop: polling.stop,
  };
}
