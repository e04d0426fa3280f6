import type { RedisConnection } from '@keydesk/rate-limit';
import type { Middleware } from 'koa';
import type Provider from 'oidc-provider';
import { errorPages } from '../interactions/error-pages.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Pages } from '../pages/pages.ts';
import { logOutWithoutSession, outlivedHints } from './log-out.ts';
import { createUserCodeLimits, isDeviceStep, requireSession, userCodeInAddress } from './user-codes.ts';

export interface BrowserStepsOptions {
  redis?: RedisConnection | undefined;
  pages: Pages;
  ring: Pick<KeyRing, 'keys'>;
}

/** What comes before the library's own pages, for each provider in turn: they share one count of wrong codes. */
export function createBrowserSteps({ redis, pages, ring }: BrowserStepsOptions) {
  const limitUserCodes = createUserCodeLimits({ redis });
  const showErrors = errorPages(pages);

  return (provider: Provider): Middleware[] => {
    return [
      ...[showErrors, limitUserCodes(provider), requireSession(provider)].map(onDeviceSteps),
      userCodeInAddress(),
      logOutWithoutSession(provider),
      outlivedHints(ring.keys),
    ];
  };
}

function onDeviceSteps(middleware: Middleware): Middleware {
  return (ctx, next) => (isDeviceStep(ctx) ? middleware(ctx, next) : next());
}
