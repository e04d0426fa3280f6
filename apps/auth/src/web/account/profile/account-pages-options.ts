import type { AccountConfig } from '../../../accounts/account/settings.ts';
import type { Accounts } from '../../../accounts/accounts.ts';
import type { TrustedDevice } from '../../../accounts/factors/factors.ts';
import type { SessionOwner } from '../../../accounts/sessions/session-registry.ts';
import type { ClientStore } from '../../../clients/client-store.ts';
import type { ConnectedApplications } from '../../../provider/grants/connected-applications.ts';
import type { AccountSessions } from '../../../provider/log-out/account-sessions.ts';
import type { CredentialsForm } from '../../kit/forms/credentials-form.ts';
import type { PageParts } from '../../kit/page-parts.ts';
import type { RecentApplications } from '../../kit/recent-applications.ts';
import type { SecondStep } from '../../second-factor/second-step.ts';
import type { SignInCompletion } from '../../second-factor/sign-in-completion.ts';
import type { ProviderButtons } from '../../upstream/provider-buttons.ts';

/** Dependencies of the account pages. */
export interface AccountPagesOptions {
  parts: PageParts;
  accounts: Accounts;
  sessions: Pick<AccountSessions, 'find'>;
  /** Finds the browsers that are not asked for the second factor. */
  findTrustedDevices(owner: SessionOwner): Promise<readonly TrustedDevice[]>;
  credentials: CredentialsForm;
  secondStep: SecondStep;
  completion: SignInCompletion;
  clients: Pick<ClientStore, 'find'>;
  connections: ConnectedApplications;
  recent: Pick<RecentApplications, 'find'>;
  now: () => Date;
  providerButtons: ProviderButtons;
  settings: Pick<
    AccountConfig,
    | 'passwordMinLength'
    | 'verificationLinkTtlSeconds'
    | 'passwordResetLinkTtlSeconds'
    | 'emailChangeLinkTtlSeconds'
    | 'accountDeletionDays'
  >;
}
