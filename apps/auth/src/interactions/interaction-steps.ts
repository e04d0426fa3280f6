import type { AccountStore } from '../accounts/account-store.ts';
import type { SignIn } from '../accounts/sign-in.ts';
import type { AuthConfig } from '../config.ts';
import { isHttps } from '../config.ts';
import type { DerivedKeys } from '../keys/derived-keys.ts';
import type { Pages } from '../pages/pages.ts';
import { cookieName } from '../provider/cookies.ts';
import { createConsentStep } from './consent.ts';
import { createFormTokens } from './form-tokens.ts';
import { createInteractionPages } from './interaction-pages.ts';
import type { InteractionRoutesOptions } from './interaction-routes.ts';
import { createSignInStep } from './sign-in.ts';

export interface InteractionStepsOptions {
  config: Pick<AuthConfig, 'issuer'>;
  storage: { accounts: Pick<AccountStore, 'find'> };
  derived: Pick<DerivedKeys, 'forms'>;
  accounts: SignIn;
  pages: Pages;
}

/** The steps of an interaction, whichever provider they are taken for. */
export function createInteractionSteps(options: InteractionStepsOptions): InteractionRoutesOptions {
  const { config, storage, accounts } = options;
  const tokens = createFormTokens(options.derived.forms);
  const pages = createInteractionPages({ pages: options.pages, tokens });
  return {
    tokens,
    pages,
    // The library takes the time of a session from the machine's clock, and compares with it.
    signIn: createSignInStep({
      accounts,
      pages,
      nowSeconds: () => Math.floor(Date.now() / 1000),
      deviceCookie: cookieName('device', isHttps(config.issuer)),
    }),
    consent: createConsentStep({ accounts: storage.accounts, pages }),
  };
}
