import type { AccountStore } from '../../accounts/account-store.ts';
import type { Audit } from '../../audit/audit.ts';
import type { Pages } from '../../pages/pages.ts';
import type { RememberedConsents } from '../../provider/grants/remembered-consents.ts';
import { createCsrfTokens } from '../kit/csrf-tokens.ts';
import { errorPages, type FindErrorActions } from '../kit/error-pages.ts';
import { createConsentStep } from './consent.ts';
import type { CredentialsForm } from './credentials-form.ts';
import { createInteractionPages, type InteractionPagesOptions } from './interaction-pages.ts';
import type { InteractionRoutesOptions } from './interaction-routes.ts';
import type { RecentApplications } from './recent-applications.ts';
import { createSignInStep, type FindSignedIn } from './sign-in.ts';

export interface InteractionStepsOptions {
  accounts: Pick<AccountStore, 'find'>;
  /** 32 bytes, derived for forms only. */
  formKey: Uint8Array;
  credentials: CredentialsForm;
  findSignedIn: FindSignedIn;
  pages: Pages;
  isSignUpOpen: boolean;
  takeNotice: InteractionPagesOptions['takeNotice'];
  recent: RecentApplications;
  findErrorActions: FindErrorActions;
  consents: Pick<RememberedConsents, 'remember'>;
  audit: Pick<Audit, 'record'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/** Creates the steps of an interaction, independent of a provider. */
export function createInteractionSteps(options: InteractionStepsOptions): InteractionRoutesOptions {
  const { accounts, credentials, findSignedIn, recent, consents, audit, clock } = options;
  const tokens = createCsrfTokens(options.formKey, 'interaction');
  const pages = createInteractionPages({
    pages: options.pages,
    tokens,
    isSignUpOpen: options.isSignUpOpen,
    takeNotice: options.takeNotice,
    recent,
  });
  return {
    tokens,
    errorPages: errorPages(options.pages, options.findErrorActions),
    signIn: createSignInStep({ credentials, findSignedIn, pages }),
    consent: createConsentStep({ accounts, pages, consents, audit, clock }),
  };
}
