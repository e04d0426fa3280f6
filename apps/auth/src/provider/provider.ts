import { trustProxyHops } from '@keydesk/server';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { storeCredentialEpochs } from '../artifacts/credential-epochs.ts';
import { type ConfigurationOptions, createConfiguration } from './configuration.ts';
import { reportDisallowedGrants } from './grants/disallowed-grants.ts';
import { keepOfflineAccess } from './grants/offline-access.ts';
import { pinOrigin } from './grants/pinned-origin.ts';
import { createReplayingProvider, type ProviderAdaptations } from './grants/replaying-provider.ts';
import { limitResponseModes } from './responses/response-modes.ts';
import { normalizeResource } from './tokens/normalize-resource.ts';

export interface ProviderOptions extends ConfigurationOptions, ProviderAdaptations {
  trustedProxyHops: number;
  /** Creates the middleware that runs before oidc-provider's own routes. */
  createMiddleware(provider: Provider): readonly Middleware[];
  /** Listeners for events of oidc-provider. */
  events: readonly { attachTo(provider: Provider): void }[];
}

/** Creates an oidc-provider instance for one set of keys. */
export function createProvider(options: ProviderOptions): Provider {
  const provider = createReplayingProvider(options.issuer, createConfiguration(options), options);
  storeCredentialEpochs(provider);
  pinOrigin(provider, options.issuer);
  trustProxyHops(provider, options.trustedProxyHops);
  options.authentication.installOn(provider);
  limitResponseModes(provider);
  reportDisallowedGrants(provider);
  normalizeResource(provider, options.apiAudience);
  keepOfflineAccess(provider);
  for (const each of options.events) each.attachTo(provider);
  for (const middleware of options.createMiddleware(provider)) provider.use(middleware);
  return provider;
}
