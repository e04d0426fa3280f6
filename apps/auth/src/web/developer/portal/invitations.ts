import type { RateLimiter } from '@keydesk/rate-limit';
import { AppError } from '@keydesk/server';
import type { Account } from '../../../accounts/account/account.ts';
import type { AccountStore } from '../../../accounts/account/account-store.ts';
import { createToken, digestOfToken } from '../../../accounts/account/account-token-store.ts';
import type { BackgroundTasks } from '../../../accounts/account/background-tasks.ts';
import type { DeferredTasks } from '../../../accounts/account/deferred-tasks.ts';
import type { MailLimits } from '../../../accounts/limits/account-limits.ts';
import { toRateLimitError } from '../../../accounts/limits/sign-in-limits.ts';
import type { Client } from '../../../clients/client.ts';
import type { Clients } from '../../../clients/clients.ts';
import { type InvitationState, inspectInvitation } from '../../../clients/owners/co-ownership.ts';
import type { OwnerMails } from '../../../clients/owners/owner-mails.ts';
import { parseEmail } from '../../../mail/email-address.ts';

export interface InvitationsOptions {
  /** Clients to which the account may invite co-owners. */
  shared: Pick<Clients, 'get' | 'invite'>;
  /** All clients, without an access check. */
  clients: Pick<Clients, 'get' | 'answerInvitation'>;
  accounts: Pick<AccountStore, 'find'>;
  ownerMails: Pick<OwnerMails, 'mailInvited' | 'mailJoined'>;
  mailLimits: Pick<MailLimits, 'admit'>;
  deferred: Pick<DeferredTasks, 'requireReady'>;
  background: Pick<BackgroundTasks, 'run'>;
  /** Limits the mailed invitations of an account. */
  perAccount: RateLimiter;
  /** The account that invites or is invited. */
  account: Account;
  /** IP address of the request. */
  address: string;
  ttlSeconds: number;
  now: () => Date;
  newId: () => string;
}

/** A pending invitation of the account to an application. */
export interface PendingInvitation {
  state: 'pending';
  client: Client;
  from: Account | undefined;
  expiresAt: Date;
}

export type InvitationView = PendingInvitation | Exclude<InvitationState, { state: 'pending' }>;

/** Invites co-owners by mail, and answers invitations. */
export interface Invitations {
  /**
   * Mails a link to an address and returns the address. Behaves the same whether or not the address has an account.
   *
   * @param locale language of the mail, unless an account of the address has a language
   * @throws {AppError} `validation_failed` or `conflict` naming the fault, `too_many_requests`, or `unavailable` if no
   *   mail can be sent
   */
  send(id: string, typedEmail: string, locale: string): Promise<string>;
  inspect(token: string): Promise<InvitationView>;
  /** @throws {AppError} `conflict` or `not_found` unless the invitation is pending for this account */
  answer(token: string, answer: 'accepted' | 'declined'): Promise<Client>;
}

export function createInvitations(options: InvitationsOptions): Invitations {
  const { clients, ownerMails, background, account, now } = options;

  return {
    send: createSend(options),
    async inspect(token) {
      const { clientId, digest } = readToken(token);
      const client = await clients.get(clientId).catch(ignoreNotFound);
      if (!client) return { state: 'unknown' };
      const inspected = inspectInvitation(client, digest, account, now());
      if (inspected.state !== 'pending') return inspected;
      const { invitedBy, expiresAt } = inspected.invitation;
      return { state: 'pending', client, from: await options.accounts.find(invitedBy), expiresAt };
    },
    async answer(token, answer) {
      const { clientId, digest } = readToken(token);
      const client = await clients.answerInvitation(clientId, { digest, answer }, account);
      if (answer === 'accepted') background.run(() => ownerMails.mailJoined(client, account.id));
      return client;
    },
  };
}

function createSend(options: InvitationsOptions): Invitations['send'] {
  const { shared, ownerMails, mailLimits, perAccount, account, now } = options;

  async function invite(id: string, email: string): Promise<string> {
    await options.deferred.requireReady();
    const token = createToken();
    await shared.invite(id, {
      id: options.newId(),
      email,
      digest: digestOfToken(token),
      invitedBy: account.id,
      expiresAt: new Date(now().getTime() + options.ttlSeconds * 1_000),
    });
    return `${id}.${token}`;
  }

  return async function send(id, typedEmail, locale) {
    const to = parseEmail(typedEmail);
    if (to === undefined) throw invalidAddress(typedEmail);
    await rejectOwner(await shared.get(id), to, options);
    await mailLimits.admit(options.address);
    const result = await perAccount.consume(account.id);
    if (!result.isAllowed) throw toRateLimitError(result);
    const token = await invite(id, to).catch(async (err: unknown) => {
      await perAccount.refund(account.id);
      throw err;
    });
    options.background.run(() =>
      ownerMails.mailInvited({
        to,
        from: account.email,
        token,
        locale: account.profile.locale ?? locale,
      }),
    );
    return to;
  };
}

/** Rejects addresses of owners. Reveals nothing, because the page of the form already shows these addresses. */
async function rejectOwner(
  { owner, coOwners }: Client,
  email: string,
  { accounts }: InvitationsOptions,
): Promise<void> {
  const ids = [owner ?? '', ...coOwners.map(({ accountId }) => accountId)];
  const owners = await Promise.all(ids.map((id) => accounts.find(id)));
  if (!owners.some((each) => each?.email === email)) return;
  const message = 'This address belongs to an owner of the application; enter another one.';
  throw new AppError('conflict', message, {
    errors: [{ field: 'email', code: 'already_owner', message }],
  });
}

function invalidAddress(typed: string): AppError {
  const message = 'must be an e-mail address';
  const code = typed.trim() === '' ? 'missing' : 'invalid';
  return new AppError('validation_failed', `email ${message}`, {
    errors: [{ field: 'email', code, message }],
  });
}

/** Splits the token of a link into the client's id and a secret; returns the secret's digest. */
function readToken(token: string): { clientId: string; digest: string } {
  const [, clientId = '', secret = ''] = /^([^.]*)\.(.*)$/s.exec(token) ?? [];
  return { clientId, digest: digestOfToken(secret) };
}

function ignoreNotFound(err: unknown): undefined {
  if (!(err instanceof AppError) || err.code !== 'not_found') throw err;
}
