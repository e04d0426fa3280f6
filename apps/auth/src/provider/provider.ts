import { trustProxyHops } from '@keydesk/http';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { type ConfigurationOptions, createConfiguration } from './configuration.ts';
import { keepCredentialEpochs } from './credential-epochs.ts';
import { keepOfflineAccess } from './offline-access.ts';
import { pinOrigin } from './pinned-origin.ts';
import { nameRefusedGrants } from './refused-grants.ts';
import { createReplayingProvider, type LibraryAdaptations } from './replaying-provider.ts';
import { unifyResourceSpellings } from './resource-spellings.ts';
import { limitResponseModes } from './response-modes.ts';

export interface ProviderOptions extends ConfigurationOptions, LibraryAdaptations {
  trustedProxyHops: number;
  /** Creates the middleware that runs before oidc-provider's own routes. */
  createMiddleware(provider: Provider): readonly Middleware[];
  /** Listeners for events of oidc-provider. */
  events: readonly { attachTo(provider: Provider): void }[];
}

/** Creates an oidc-provider instance for one set of keys. */
export function createProvider(options: ProviderOptions): Provider {
  const provider = createReplayingProvider(options.issuer, createConfiguration(options), options);
  keepCredentialEpochs(provider);
  pinOrigin(provider, options.issuer);
  trustProxyHops(provider, options.trustedProxyHops);
  options.authentication.installOn(provider);
  limitResponseModes(provider);
  nameRefusedGrants(provider);
  unifyResourceSpellings(provider, options.apiAudience);
  keepOfflineAccess(provider);
  for (const each of options.events) each.attachTo(provider);
  for (const middleware of options.createMiddleware(provider)) provider.use(middleware);
  return provider;
}
