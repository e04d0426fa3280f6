import { AppError, type FieldError } from '@keydesk/http';
import type { Mailer } from '../mail/mailer.ts';
import type { MessageKind } from '../mail/message-texts.ts';
import { composeMail, languageOf } from '../mail/messages.ts';
import type { Account } from './account.ts';
import type { AccountEvent, AccountEventType, Origin } from './account-event.ts';
import type { AccountStore } from './account-store.ts';
import { type AccountToken, createToken, digestOfToken, type TokenPurpose } from './account-token.ts';
import type { AccountTokenStore } from './account-token-store.ts';

export interface AccountStepsOptions {
  store: AccountStore;
  tokens: AccountTokenStore;
  mailer: Mailer;
  /** The operator's name for the service, in mails. */
  serviceName: string;
  /** `#rrggbb`; the operator's colour, in mails. */
  accentColor?: string | undefined;
  /** How long a mailed link works, by what it is for. */
  linkTtlSeconds: Readonly<Record<TokenPurpose, number>>;
  /** Takes what happened into the audit record. */
  onEvent(event: AccountEvent): Promise<void>;
  clock: () => Date;
}

/** A mail about an account; it goes to the account's own address unless `to` says otherwise. */
export interface AccountMail {
  link: string;
  to?: string | undefined;
  newEmail?: string | undefined;
  ttlSeconds?: number | undefined;
  /** For an account that does not know its own. */
  locale?: string | undefined;
}

/** The steps that the use cases of accounts are made of. */
export interface AccountSteps {
  /** @throws {AppError} `not_found` */
  get(id: string): Promise<Account>;
  /**
   * Reads, changes and writes until no other process has come in between.
   *
   * @throws {AppError} `not_found`, or `conflict` when another account has the address
   */
  change(id: string, toNext: (account: Account, now: Date) => Account): Promise<Account>;
  /** Makes a token that shows the possession of the mailbox, and resolves with it when it is stored. */
  issue(purpose: TokenPurpose, accountId: string, email: string): Promise<string>;
  /** The token, which stays as it is. @throws {AppError} `invalid_request` when it is worth nothing */
  inspect(token: string, purpose: TokenPurpose): Promise<AccountToken>;
  /** Uses the token up. @throws {AppError} `invalid_request` when it is worth nothing, or another was faster */
  redeem(token: string, purpose: TokenPurpose): Promise<AccountToken>;
  mail(kind: MessageKind, account: Account, mail: AccountMail): Promise<void>;
  record(
    type: AccountEventType,
    accountId: string | null,
    origin: Origin,
    details?: AccountEvent['details'],
  ): Promise<void>;
}

export function createAccountSteps(options: AccountStepsOptions): AccountSteps {
  const { store, tokens, clock, serviceName: service, accentColor } = options;

  async function get(id: string): Promise<Account> {
    const account = await store.find(id);
    if (!account) throw new AppError('not_found', `There is no account ${id}.`);
    return account;
  }

  return {
    get,
    async change(id, toNext) {
      for (;;) {
        const account = await get(id);
        const next = toNext(account, clock());
        const outcome = await store.replace(next, account.version);
        if (outcome === 'replaced') return next;
        if (outcome === 'email_taken') throw addressTaken();
      }
    },
    async issue(purpose, accountId, email) {
      const token = createToken();
      const expiresAt = new Date(clock().getTime() + options.linkTtlSeconds[purpose] * 1_000);
      await tokens.insert({ digest: digestOfToken(token), purpose, accountId, email, expiresAt });
      return token;
    },
    async inspect(token, purpose) {
      return (await tokens.find(digestOfToken(token), purpose, clock())) ?? refuseLink();
    },
    async redeem(token, purpose) {
      return (await tokens.redeem(digestOfToken(token), purpose, clock())) ?? refuseLink();
    },
    async mail(kind, { email, profile }, { to = email, locale, ...values }) {
      const language = languageOf(profile.locale ?? locale);
      const request = { to, language, values: { service, email, ...values }, accentColor };
      await options.mailer.send(composeMail(kind, request));
    },
    record: (type, accountId, origin, details = {}) =>
      options.onEvent({ type, at: clock(), accountId, origin, details }),
  };
}

/** The failure of a link that has expired, was used already, or is somebody else's. */
export function refuseLink(): never {
  const message = 'This link has expired or was used already.';
  throw new AppError('invalid_request', message, {
    errors: [{ field: 'token', code: 'link_invalid', message }],
  });
}

/** @throws {AppError} `validation_failed` with these faults, if there are any */
export function requireFaultless(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(errors);
}

/** The failure of a request with these faults. */
export function invalid(errors: readonly FieldError[]): AppError {
  const reasons = errors.map(({ field, message }) => `${field} ${message}`).join('; ');
  return new AppError('validation_failed', `This cannot be accepted: ${reasons}.`, { errors });
}

export function addressTaken(): AppError {
  return new AppError('conflict', 'There is an account with this e-mail address already.', {
    errors: [{ field: 'email', code: 'taken', message: 'belongs to another account' }],
  });
}
