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
  /** What comes before the library's own routes. */
  createMiddleware(provider: Provider): readonly Middleware[];
  /** Told of what happens at the library's endpoints. */
  events: readonly { attachTo(provider: Provider): void }[];
}

/** The library's provider for one set of keys. */
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
