import { AppError, type FieldError } from '@keydesk/server';
import type { Mailer } from '../../mail/mailer.ts';
import type { MessageKind } from '../../mail/message-texts.ts';
import { composeMail, languageOf } from '../../mail/messages.ts';
import type { Device } from '../../values/device.ts';
import type { Account } from './account.ts';
import type { AccountEvent, AccountEventType, Origin } from './account-event.ts';
import type { AccountStore } from './account-store.ts';
import type { AccountTokenStore } from './account-token-store.ts';
import { type AccountToken, createToken, digestOfToken, type TokenPurpose } from './account-token-store.ts';
import { isCurrentSignIn } from './credential-epoch.ts';

export interface AccountOperationsOptions {
  store: AccountStore;
  tokens: AccountTokenStore;
  mailer: Mailer;
  /** Name of the service in mails. */
  serviceName: string;
  /** Accent color of mails, as `#rrggbb`. */
  accentColor?: string | undefined;
  /** Lifetime of mailed links, by purpose. */
  linkTtlSeconds: Readonly<Record<TokenPurpose, number>>;
  /** Appends the event to the audit log. */
  onEvent(event: AccountEvent): Promise<void>;
  now: () => Date;
}

/** Parameters of a mail about an account. Sent to the account's own address unless `to` is set. */
interface AccountMail {
  link: string;
  to?: string | undefined;
  newEmail?: string | undefined;
  count?: string | undefined;
  /** Device, network address and time of the sign-in that the mail is about. */
  device?: Device | undefined;
  address?: string | undefined;
  at?: Date | undefined;
  /** Name of an identity provider. */
  provider?: string | undefined;
  ttlSeconds?: number | undefined;
  day?: Date | undefined;
  /** Language if the account has none of its own. */
  locale?: string | undefined;
}

/** Account of a sign-in, with the credential epoch at which it was made. */
export type SignInOwner = Pick<Account, 'id' | 'credentialEpoch'>;

/** Operations that the account use cases share. */
export interface AccountOperations {
  /** @throws {AppError} `not_found` */
  get(id: string): Promise<Account>;
  /**
   * Reads, changes and writes an account; retries when another process wrote it in between.
   *
   * @throws {AppError} `not_found`, or `conflict` if another account has the address
   */
  change(id: string, toNext: (account: Account, now: Date) => Account): Promise<Account>;
  /** Creates and stores a token that proves control of the mailbox. */
  issueToken(purpose: TokenPurpose, accountId: string, email: string, since?: Date): Promise<string>;
  /** Returns the token without redeeming it. @throws {AppError} `invalid_request` if it is invalid */
  inspectToken(token: string, purpose: TokenPurpose): Promise<AccountToken>;
  /** Redeems the token. @throws {AppError} `invalid_request` if it is invalid or was redeemed by a concurrent call */
  redeemToken(token: string, purpose: TokenPurpose): Promise<AccountToken>;
  /**
   * Checks that a sign-in has not ended. Between the read and the compare-and-set of a document with credentials, it
   * makes the write depend on that: what ends sign-ins and removes credentials writes each of these documents.
   *
   * @throws {AppError} `forbidden` with the code `sign_in_ended`
   */
  requireCurrentSignIn(owner: SignInOwner): Promise<void>;
  sendMail(kind: MessageKind, account: Account, mail: AccountMail): Promise<void>;
  recordEvent(
    type: AccountEventType,
    accountId: string | null,
    origin: Origin,
    details?: AccountEvent['details'],
  ): Promise<void>;
}

export function createAccountOperations(options: AccountOperationsOptions): AccountOperations {
  const { store, tokens, now, serviceName: service, accentColor } = options;

  async function get(id: string): Promise<Account> {
    const account = await store.find(id);
    if (!account) throw new AppError('not_found', `No account has the id ${id}.`);
    return account;
  }

  return {
    get,
    async change(id, toNext) {
      for (;;) {
        const account = await get(id);
        const next = toNext(account, now());
        const outcome = await store.replace(next, account.version);
        if (outcome === 'replaced') return next;
        if (outcome === 'email_taken') throw toEmailTakenError();
      }
    },
    async issueToken(purpose, accountId, email, since) {
      const token = createToken();
      const expiresAt = new Date(now().getTime() + options.linkTtlSeconds[purpose] * 1_000);
      const digest = digestOfToken(token);
      await tokens.insert({ digest, purpose, accountId, email, ...(since && { since }), expiresAt });
      return token;
    },
    async inspectToken(token, purpose) {
      return (await tokens.find(digestOfToken(token), purpose, now())) ?? rejectLink();
    },
    async redeemToken(token, purpose) {
      return (await tokens.redeem(digestOfToken(token), purpose, now())) ?? rejectLink();
    },
    async requireCurrentSignIn({ id, credentialEpoch }) {
      if (!isCurrentSignIn(await store.find(id), credentialEpoch)) throw toSignInEndedError();
    },
    async sendMail(kind, { email, profile }, { to = email, locale, ...values }) {
      const language = languageOf(profile.locale ?? locale);
      const request = { to, language, values: { service, email, ...values }, accentColor };
      await options.mailer.send(composeMail(kind, request));
    },
    recordEvent: (type, accountId, origin, details = {}) =>
      options.onEvent({ type, at: now(), accountId, origin, details }),
  };
}

/** Rejects a link that has expired, was already used, or belongs to another account. */
export function rejectLink(): never {
  const message = 'This link has expired or was already used.';
  throw new AppError('invalid_request', message, {
    errors: [{ field: 'token', code: 'link_invalid', message }],
  });
}

export function toSignInEndedError(): AppError {
  const message = 'The sign-in has ended; sign in again.';
  return new AppError('forbidden', message, {
    errors: [{ field: 'session', code: 'sign_in_ended', message }],
  });
}

/** @throws {AppError} `validation_failed` if there are any errors */
export function rejectInvalid(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw toValidationError(errors);
}

/** Creates the `validation_failed` error for these field errors. */
export function toValidationError(errors: readonly FieldError[]): AppError {
  const reasons = errors.map(({ field, message }) => `${field} ${message}`).join('; ');
  return new AppError('validation_failed', `Invalid input: ${reasons}.`, { errors });
}

export function toEmailTakenError(): AppError {
  return new AppError('conflict', 'An account with this e-mail address already exists.', {
    errors: [{ field: 'email', code: 'taken', message: 'belongs to another account' }],
  });
}

/**
 * URLs in mails. A link with a token must open a page with a button, because mail scanners follow links automatically.
 */
export interface AccountLinks {
  verifyEmail(token: string): string;
  createPasskey(token: string): string;
  resetPassword(token: string): string;
  changeEmail(token: string): string;
  disownSignIn(token: string): string;
  signIn(): string;
  requestPasswordReset(): string;
}
