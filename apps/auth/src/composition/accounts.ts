import { createRateLimiter, type RedisConnection } from '@keydesk/rate-limit';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { AccountEvent, Origin } from '../accounts/account/account-event.ts';
import type { AccountLinks } from '../accounts/account/account-operations.ts';
import { type BackgroundTasks, createBackgroundTasks } from '../accounts/account/background-tasks.ts';
import { createDeferredTasks, type DeferredTasks } from '../accounts/account/deferred-tasks.ts';
import type { AccountConfig } from '../accounts/account/settings.ts';
import { type Accounts, type AccountsOptions, createAccounts } from '../accounts/accounts.ts';
import { createTotpCodes } from '../accounts/factors/totp.ts';
import { createAccountLimits, type MailLimits } from '../accounts/limits/account-limits.ts';
import { createDeviceCookies } from '../accounts/limits/device-cookie.ts';
import { createRelyingParty } from '../accounts/passkeys/relying-party.ts';
import { type BreachedPasswords, openBreachedPasswords } from '../accounts/passwords/breached-passwords.ts';
import type { Argon2Parameters } from '../accounts/passwords/password-hash.ts';
import { createPasswordHasher, defaultConcurrency } from '../accounts/passwords/password-hasher.ts';
import { type CommonPasswords, createPasswordPolicy } from '../accounts/passwords/password-policy.ts';
import type { Audit } from '../audit/audit.ts';
import { typesWithEmailAddresses } from '../audit/audit-event.ts';
import { withClientAudit } from '../audit/client-audit.ts';
import { toAuditEvent } from '../audit/recorders.ts';
import type { Clients } from '../clients/clients.ts';
import { removeOwnedLogos, retireOwner, unverifyClients } from '../clients/owners/account-consequences.ts';
import { createOwnerMails, type OwnerMails } from '../clients/owners/owner-mails.ts';
import { createTrustMails, type TrustMails } from '../clients/trust/trust-mails.ts';
import type { DerivedKeys } from '../keys/derived-keys.ts';
import { type Mailer, openMailer } from '../mail/mailer.ts';
import type { MailConfig } from '../mail/settings.ts';
import { type AccountSessions, createAccountSessions } from '../provider/log-out/account-sessions.ts';
import { createLogOutNotifications } from '../provider/log-out/log-out-notifications.ts';
import type { Storage } from '../storage/storage.ts';
import { invitationPath, pathsOf } from '../web/developer/portal/paths.ts';
import { paths } from '../web/kit/account-paths.ts';
import { createExportSources } from './account-export.ts';
import { createRemoval } from './account-removal.ts';
import { assembleClients } from './clients.ts';

/** Appearance of the service in mails, and the providers at which users sign in. */
interface ServiceConfig {
  identityProviders?: AccountsOptions['identityProviders'];
  serviceName: string;
  brandColor?: string | undefined;
}

export interface AccountServicesDeps {
  config: AccountConfig & MailConfig & ServiceConfig & { issuer: string; securityEventRetentionDays: number };
  storage: Storage;
  log: Logger;
  derived: Pick<DerivedKeys, 'devices' | 'passkeys' | 'totp' | 'clientSecrets' | 'artifacts'>;
  audit?: Pick<Audit, 'record'> | undefined;
  now: () => Date;
  redis?: RedisConnection | undefined;
  /** Rejected passwords; needed only where passwords are set. */
  commonPasswords?: CommonPasswords | undefined;
  /** Cost of new password hashes; default: the recommendation of OWASP. */
  passwordParameters?: Argon2Parameters | undefined;
}

/** The accounts of a process, with their sessions, mails and background work. */
export interface AccountServices {
  accounts: Accounts;
  sessions: AccountSessions;
  trustMails: TrustMails;
  ownerMails: OwnerMails;
  mailLimits: Pick<MailLimits, 'admit'>;
  deferred: Pick<DeferredTasks, 'requireReady'>;
  background: Pick<BackgroundTasks, 'run' | 'pending'>;
  passwords: Pick<ReturnType<typeof createPasswordHasher>, 'load'>;
  /** Waits for background work and closes the mailer. */
  stop(): Promise<void>;
}

/** Limit of mails and other background work that are pending. */
const MAX_PENDING = 1_000;
const OPERATOR_MAILS_PER_HOUR = 20;
const ONE_HOUR_SECONDS = 3_600;
/** Longer than people leave their mail unread. */
const DISOWN_LINK_TTL_SECONDS = 7 * 86_400;

export function createAccountServices(deps: AccountServicesDeps): AccountServices {
  const { config, storage, log, now, redis, derived } = deps;
  const onError = (err: unknown) => log.error({ err }, 'background work failed');
  const background = createBackgroundTasks({ maxPending: MAX_PENDING, onError });
  const mailer = openMailer({ config, newId: uuidv7, log });
  const breachedPasswords = openBreaches(deps);
  const parts = createAccountParts({
    config,
    redis,
    commonPasswords: deps.commonPasswords ?? new Set(),
    breachedPasswords,
    deviceCookieKey: derived.devices,
    passwordParameters: deps.passwordParameters,
  });
  const ownerMails = assembleOwnerMails(deps, mailer, parts.mailLimits);
  const sessions = createSessions(deps);
  const accounts = createAccounts({
    ...parts,
    store: storage.accounts,
    tokens: storage.accountTokens,
    factors: storage.factors,
    relyingParty: createRelyingParty({ ...config, relatedOrigins: config.webauthnRelatedOrigins }),
    challengeKey: derived.passkeys,
    totp: createTotpCodes({ sealer: derived.totp, serviceName: config.serviceName, now }),
    storage,
    mailer,
    background,
    links: createLinks(config.issuer),
    async onEvent(event) {
      log.info(toLogFields(event), 'account event');
      await deps.audit?.record(toAuditEvent(event));
    },
    sessions,
    identityProviders: config.identityProviders ?? [],
    revokeSessions: sessions.endAll,
    ...createRemoval(deps),
    ...createExportSources(deps),
    ...createOwnership(deps, { background, ownerMails }),
    now,
    newId: uuidv7,
  });
  return {
    accounts,
    sessions,
    trustMails: assembleTrustMails(deps, mailer, ownerMails),
    ownerMails,
    mailLimits: parts.mailLimits,
    deferred: createDeferredTasks({ storage, mailer, background }),
    background,
    passwords: parts.passwords,
    async stop() {
      await background.idle();
      mailer.close();
      breachedPasswords.close();
    },
  };
}

function openBreaches({ config, log }: AccountServicesDeps): BreachedPasswords {
  return openBreachedPasswords({
    file: config.breachedPasswordsFile,
    url: config.breachedPasswordsUrl,
    onError: (err) =>
      log.warn({ err }, 'could not look up a new password among breached ones; it is accepted'),
  });
}

/** Consequences of changes of an account for its applications. */
function createOwnership(
  deps: AccountServicesDeps,
  { background, ownerMails }: Pick<AccountServices, 'background' | 'ownerMails'>,
): Pick<AccountsOptions, 'allowApplications' | 'retireOwner' | 'removeLogos' | 'unverifyApplications'> {
  const { storage } = deps;
  return {
    allowApplications: storage.clients.reopenOwner,
    async retireOwner(accountId, origin) {
      const clients = createAuditedClients(deps, accountId, origin);
      const retiring = { store: storage.clients, clients, accounts: storage.accounts };
      for (const { client, outcome } of await retireOwner(accountId, retiring))
        if (outcome === 'handed_over') background.run(() => ownerMails.mailHandedOver(client));
    },
    removeLogos: (accountId, origin) =>
      removeOwnedLogos(accountId, createAuditedClients(deps, accountId, origin)),
    unverifyApplications: (accountId, origin) =>
      unverifyClients(accountId, createAuditedClients(deps, accountId, origin)),
  };
}

function assembleOwnerMails(
  { config, storage }: AccountServicesDeps,
  mailer: Mailer,
  mailLimits: MailLimits,
): OwnerMails {
  return createOwnerMails({
    mailer,
    accounts: storage.accounts,
    mailLimits,
    serviceName: config.serviceName,
    accentColor: config.brandColor,
    invitationTtlSeconds: config.invitationLinkTtlSeconds,
    linkTo: (clientId) => config.issuer + pathsOf(clientId).show,
    linkToInvitation: (token) => `${config.issuer}${invitationPath}?token=${token}`,
  });
}

function assembleTrustMails(
  { config, redis }: AccountServicesDeps,
  mailer: Mailer,
  ownerMails: OwnerMails,
): TrustMails {
  return createTrustMails({
    ownerMails,
    serviceName: config.serviceName,
    operatorEmail: config.operatorEmail,
    operatorLanguage: config.operatorLanguage,
    accentColor: config.brandColor,
    mailer,
    perOperator: createRateLimiter({
      redis,
      keyPrefix: 'mail:operator',
      points: OPERATOR_MAILS_PER_HOUR,
      durationSeconds: ONE_HOUR_SECONDS,
    }),
  });
}

function createSessions({ storage, now, derived }: AccountServicesDeps): AccountSessions {
  const { artifacts } = storage;
  const sealer = derived.artifacts;
  return createAccountSessions({
    artifacts,
    sealer,
    now,
    notifications: createLogOutNotifications({ artifacts, sealer, now, newId: uuidv7 }),
  });
}

/** Clients whose changes are audited as consequences of a change of an account. */
function createAuditedClients(
  { storage, audit, now, derived }: AccountServicesDeps,
  accountId: string,
  origin: Origin,
): Clients {
  const clients = assembleClients({ storage, derived, now });
  const { actor = accountId, address, requestId = null } = origin;
  const author = { actor, accountId, address, requestId };
  return audit ? withClientAudit(clients, { audit, author, now }) : clients;
}

/** Omits e-mail addresses, because they can't be removed from a log together with the account. */
function toLogFields({ type, accountId, origin, details }: AccountEvent) {
  const { address, requestId, clientId, actor } = origin;
  const hasAddresses = typesWithEmailAddresses.some((each) => each === type);
  return {
    event: type,
    account_id: accountId,
    ...(hasAddresses ? {} : details),
    address,
    request_id: requestId,
    client_id: clientId,
    actor,
  };
}

function createLinks(issuer: string): AccountLinks {
  return {
    verifyEmail: (token) => `${issuer}/verify-email?token=${token}`,
    createPasskey: (token) => `${issuer}/sign-up/passkey?token=${token}`,
    resetPassword: (token) => `${issuer}/reset-password?token=${token}`,
    disownSignIn: (token) => `${issuer}${paths.disownSignIn}?token=${token}`,
    changeEmail: (token) => `${issuer}/confirm-email?token=${token}`,
    signIn: () => `${issuer}/account`,
    requestPasswordReset: () => `${issuer}/forgot-password`,
  };
}

export interface AccountParts {
  config: AccountConfig & ServiceConfig;
  redis: RedisConnection | undefined;
  /** Rejected passwords. */
  commonPasswords: CommonPasswords;
  /** Refused as new passwords (default: none). */
  breachedPasswords?: Pick<BreachedPasswords, 'has'> | undefined;
  /** 32 bytes, derived only for this purpose. */
  deviceCookieKey: Uint8Array;
  /** Cost of new password hashes (default: OWASP's minimum). */
  passwordParameters?: Argon2Parameters | undefined;
}

/** Creates the parts of the account use cases that follow from the configuration. */
export function createAccountParts({ config, redis, ...passwords }: AccountParts) {
  return {
    ...createAccountLimits(config, redis),
    passwords: createPasswordHasher({
      concurrency: config.passwordHashConcurrency ?? defaultConcurrency(config.threadPoolSize),
      maxWaiting: config.passwordHashQueue,
      parameters: passwords.passwordParameters,
      breached: passwords.breachedPasswords,
    }),
    policy: createPasswordPolicy({
      minLength: config.passwordMinLength,
      commonPasswords: passwords.commonPasswords,
      serviceNames: [config.serviceName, 'Keydesk'],
    }),
    deviceCookies: createDeviceCookies(passwords.deviceCookieKey),
    factorPolicy: {
      requiredFor: config.secondFactorRequiredFor ?? [],
      graceDays: config.secondFactorGraceDays,
    },
    isSignUpOpen: config.isSignUpOpen,
    serviceName: config.serviceName,
    accentColor: config.brandColor,
    linkTtlSeconds: {
      verify_email: config.verificationLinkTtlSeconds,
      create_passkey: config.verificationLinkTtlSeconds,
      reset_password: config.passwordResetLinkTtlSeconds,
      change_email: config.emailChangeLinkTtlSeconds,
      disown_sign_in: DISOWN_LINK_TTL_SECONDS,
    },
  };
}
