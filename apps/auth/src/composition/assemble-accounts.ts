import type { AccountEvent, Origin } from '../accounts/account-event.ts';
import type { AccountLinks } from '../accounts/account-links.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AccountTokenStore } from '../accounts/account-token-store.ts';
import { type Accounts, createAccounts } from '../accounts/accounts.ts';
import type { BackgroundTasks } from '../accounts/background-tasks.ts';
import type { AccountLimits } from '../accounts/limits/account-limits.ts';
import { createDeviceCookies } from '../accounts/limits/device-cookie.ts';
import type { BreachedPasswords } from '../accounts/passwords/breached-passwords.ts';
import type { Argon2Parameters } from '../accounts/passwords/password-hash.ts';
import { createPasswordHasher, defaultConcurrency } from '../accounts/passwords/password-hasher.ts';
import { createPasswordPolicy } from '../accounts/passwords/password-policy.ts';
import type { AccountConfig } from '../accounts/settings.ts';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Mailer } from '../mail/mailer.ts';

export interface AccountsAssembly {
  config: AccountConfig;
  storage: {
    accounts: AccountStore;
    accountTokens: AccountTokenStore;
    artifacts: Pick<ArtifactStore, 'upsert'>;
  };
  mailer: Mailer;
  background: BackgroundTasks;
  links: AccountLinks;
  /** Name of the service in mails. */
  serviceName: string;
  /** Accent color of mails, as `#rrggbb`. */
  accentColor?: string | undefined;
  /** Result of `loadCommonPasswords`. */
  commonPasswords: ReadonlySet<string>;
  /** Refused as new passwords (default: none). */
  breachedPasswords?: Pick<BreachedPasswords, 'has'> | undefined;
  /** 32 bytes, derived for this purpose only. */
  deviceCookieKey: Uint8Array;
  limits: AccountLimits;
  /** Cost of new password hashes (default: OWASP's minimum). */
  passwordParameters?: Argon2Parameters | undefined;
  /** Appends the event to the audit log. */
  onEvent(event: AccountEvent): Promise<void>;
  /** Ends every session, grant and refresh token of an account and notifies its clients. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
  /**
   * Removes an account from the owners of every application and bars it from owning others. Disables applications
   * without another active owner.
   */
  retireOwner(accountId: string, origin: Origin): Promise<void>;
  /** Revokes the verification of an account's applications; resolves with whether any was verified. */
  unverifyApplications(accountId: string, origin: Origin): Promise<boolean>;
  /** Lets an account register applications again. */
  allowApplications(accountId: string): Promise<void>;
  /** Removes the logos of the applications that an account owned alone. */
  removeLogos(accountId: string, origin: Origin): Promise<void>;
  /** Erases every e-mail address from the audit records of an account. */
  eraseAddresses(accountId: string): Promise<void>;
  clock: () => Date;
  newId: () => string;
}

/** Creates the account use cases from the configuration. */
export function assembleAccounts(assembly: AccountsAssembly): Accounts {
  const { config, storage, serviceName } = assembly;
  return createAccounts({
    ...assembly,
    ...assembly.limits,
    store: storage.accounts,
    tokens: storage.accountTokens,
    passwords: createPasswordHasher({
      concurrency: config.passwordHashConcurrency ?? defaultConcurrency(config.threadPoolSize),
      maxWaiting: config.passwordHashQueue,
      parameters: assembly.passwordParameters,
      breached: assembly.breachedPasswords,
    }),
    policy: createPasswordPolicy({
      minLength: config.passwordMinLength,
      commonPasswords: assembly.commonPasswords,
      serviceNames: [serviceName, 'Keydesk'],
    }),
    deviceCookies: createDeviceCookies(assembly.deviceCookieKey),
    isSignUpOpen: config.isSignUpOpen,
    linkTtlSeconds: {
      verify_email: config.verificationLinkTtlSeconds,
      reset_password: config.passwordResetLinkTtlSeconds,
      change_email: config.emailChangeLinkTtlSeconds,
    },
  });
}
