import type { Accounts } from '../accounts/accounts.ts';
import type { AccountConfig } from '../accounts/settings.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { CredentialsForm } from '../interactions/credentials-form.ts';
import type { RecentApplications } from '../interactions/recent-applications.ts';
import type { AccountSessions } from '../provider/account-sessions.ts';
import type { ConnectedApplications } from '../provider/connected-applications.ts';
import type { PageParts } from './page-parts.ts';

/** Dependencies of the account pages. */
export interface AccountPagesOptions {
  parts: PageParts;
  accounts: Accounts;
  sessions: Pick<AccountSessions, 'find'>;
  credentials: CredentialsForm;
  clients: Pick<ClientStore, 'find'>;
  connections: ConnectedApplications;
  recent: Pick<RecentApplications, 'find'>;
  settings: Pick<
    AccountConfig,
    | 'passwordMinLength'
    | 'verificationLinkTtlSeconds'
    | 'passwordResetLinkTtlSeconds'
    | 'emailChangeLinkTtlSeconds'
  >;
}
