import type { Leases } from '@keydesk/storage/leases';
import type { AccountStore } from '../accounts/account/account-store.ts';
import type { AccountTokenStore } from '../accounts/account/account-token-store.ts';
import type { CredentialStore } from '../accounts/credentials/credential-store.ts';
import type { FactorStore } from '../accounts/factors/factor-store.ts';
import type { IdentityStore } from '../accounts/identities/identity-store.ts';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { InitialAccessTokenStore } from '../clients/registration/initial-access-token-store.ts';
import type { RegistrationStore } from '../clients/registration/registration-store.ts';
import type { KeyStore } from '../keys/key-store.ts';
import type { SecurityEventStore } from '../security-events/security-event-store.ts';
import type { TokenStatusStore } from '../token-status/token-status-store.ts';

/** The stores of the authorization server, on one engine. */
export interface Storage {
  accounts: AccountStore;
  accountTokens: AccountTokenStore;
  artifacts: ArtifactStore;
  audit: AuditStore;
  clients: ClientStore;
  /** The credentials of accounts, across `accounts`, `factors` and `identities`. */
  credentials: CredentialStore;
  factors: FactorStore;
  identities: IdentityStore;
  initialAccessTokens: InitialAccessTokenStore;
  keys: KeyStore;
  leases: Leases;
  registrations: RegistrationStore;
  securityEvents: SecurityEventStore;
  tokenStatuses: TokenStatusStore;
  /** Rejects when the database does not respond. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
