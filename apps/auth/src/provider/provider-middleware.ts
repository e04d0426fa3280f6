import type { RedisConnection } from '@keydesk/rate-limit';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import type { AccountStore } from '../accounts/account-store.ts';
import type { DerivedKeys } from '../keys/derived-keys.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { createUserCodeLimits, isDeviceStep, prefillUserCode, requireSession } from './grants/user-codes.ts';
import { acceptHintsOfDeletedKeys, logOutWithoutSession } from './log-out/log-out.ts';
import { onPath } from './on-path.ts';
import type { ResponsePages } from './provider-pages.ts';
import { routes } from './routes.ts';
import { introspectAccessTokens } from './tokens/introspected-access-tokens.ts';
import type { FindIssuedAccessToken } from './tokens/issued-access-tokens.ts';

export interface ProviderMiddlewareOptions {
  config: { apiAudience: string };
  storage: { accounts: Pick<AccountStore, 'find'> };
  derived: Pick<DerivedKeys, 'artifacts'>;
  findIssued: FindIssuedAccessToken;
  redis?: RedisConnection | undefined;
  /** Answers errors of browsers with a page. */
  showErrors: Middleware;
  ring: Pick<KeyRing, 'keys'>;
  responsePages: ResponsePages;
}

/**
 * Creates the middleware around oidc-provider's endpoints for each new provider. All providers share the counters of
 * wrong user codes.
 */
export function createProviderMiddleware(options: ProviderMiddlewareOptions) {
  const { config, storage, findIssued, redis, showErrors, ring } = options;
  const limitUserCodes = createUserCodeLimits({ redis });
  const introspect = introspectAccessTokens({
    ...config,
    accounts: storage.accounts,
    sealer: options.derived.artifacts,
    findIssued,
  });

  return (provider: Provider): Middleware[] => [
    ...[showErrors, limitUserCodes(provider), requireSession(provider)].map(onlyDeviceSteps),
    onPath(routes.device, prefillUserCode()),
    // oidc-provider saves the session outside of its own error handling.
    onPath(`${routes.endSession}/confirm`, showErrors),
    onPath(routes.endSession, logOutWithoutSession(provider, options.responsePages)),
    onPath(routes.endSession, acceptHintsOfDeletedKeys(ring.keys)),
    onPath(routes.introspection, introspect(provider)),
  ];
}

function onlyDeviceSteps(middleware: Middleware): Middleware {
  return (ctx, next) => (isDeviceStep(ctx) ? middleware(ctx, next) : next());
}
