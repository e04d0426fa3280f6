import type { Mailer } from '../mail/mailer.ts';
import type { ArtifactStore } from '../provider/artifact-store.ts';
import type { AccountEvent, Origin } from './account-event.ts';
import type { AccountLimits } from './account-limits.ts';
import type { AccountLinks } from './account-links.ts';
import type { AccountStore } from './account-store.ts';
import type { AccountTokenStore } from './account-token-store.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import type { Background } from './background.ts';
import { createDeviceCookies } from './device-cookie.ts';
import type { Argon2Parameters } from './password-hash.ts';
import { createPasswordHasher, defaultConcurrency } from './password-hasher.ts';
import { createPasswordPolicy } from './password-policy.ts';
import type { AccountConfig } from './settings.ts';

export interface AccountsAssembly {
  config: AccountConfig;
  storage: {
    accounts: AccountStore;
    accountTokens: AccountTokenStore;
    artifacts: Pick<ArtifactStore, 'upsert'>;
  };
  mailer: Mailer;
  background: Background;
  links: AccountLinks;
  /** The operator's name for the service. */
  serviceName: string;
  /** `#rrggbb`; the operator's colour, in mails. */
  accentColor?: string | undefined;
  /** As `loadCommonPasswords` gives them. */
  commonPasswords: ReadonlySet<string>;
  /** 32 bytes, derived for this purpose alone. */
  deviceCookieKey: Uint8Array;
  limits: AccountLimits;
  /** Cost of new password hashes; by default what OWASP asks for. */
  passwordParameters?: Argon2Parameters | undefined;
  /** Takes what happened into the audit record. */
  onEvent(event: AccountEvent): Promise<void>;
  /** Ends every session, grant and refresh token of an account, of which its applications are told. */
  revokeSessions(accountId: string, origin: Origin): Promise<void>;
  /**
   * Takes an account out of the owners of every application, and lets it own no more. One that is left without an active
   * owner is disabled.
   */
  retireOwner(accountId: string, origin: Origin): Promise<void>;
  /** Vouches no longer for the applications that an account has registered; resolves with whether it did for any. */
  unverifyApplications(accountId: string, origin: Origin): Promise<boolean>;
  /** Lets an account register applications again. */
  allowApplications(accountId: string): Promise<void>;
  /** Removes the logos of the applications that an account owned alone. */
  removeLogos(accountId: string, origin: Origin): Promise<void>;
  /** Takes every address out of what is on record of an account. */
  forgetAddresses(accountId: string): Promise<void>;
  clock: () => Date;
  newId: () => string;
}

/** The accounts that the settings ask for. */
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
