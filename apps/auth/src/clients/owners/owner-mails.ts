import type { AccountStore } from '../../accounts/account/account-store.ts';
import type { MailLimits } from '../../accounts/limits/account-limits.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { MessageKind } from '../../mail/message-texts.ts';
import { composeMail, languageOf, type MessageValues } from '../../mail/messages.ts';
import type { Client } from '../client.ts';

export interface OwnerMailsOptions {
  mailer: Pick<Mailer, 'send'>;
  accounts: Pick<AccountStore, 'find' | 'findByEmail'>;
  mailLimits: Pick<MailLimits, 'allowsMailTo'>;
  serviceName: string;
  /** `#rrggbb` */
  accentColor: string | undefined;
  /** Lifetime of an invitation's link. */
  invitationTtlSeconds: number;
  /** Returns the URL of the application's page in the developer portal. */
  linkTo(clientId: string): string;
  /** Returns the URL of the page that answers an invitation. */
  linkToInvitation(token: string): string;
}

export interface InvitationMail {
  /** The invited address. */
  to: string;
  /** Address of the owner or co-owner who invites. */
  from: string;
  token: string;
  /** Language of the inviting user; used for an address without an account. */
  locale: string | undefined;
}

/** Sends mails to the owners of an application. All methods reject if the mail server rejects a mail. */
export interface OwnerMails {
  /** Mails every owner and co-owner; returns whether any mail was sent. */
  mailOwners(client: Client, kind: MessageKind, about: OwnerMailValues): Promise<boolean>;
  /** Mails the other owners that an account has joined them. */
  mailJoined(client: Client, accountId: string): Promise<void>;
  /** Mails an account that it is no longer a co-owner. */
  mailRemoved(client: Client, accountId: string): Promise<void>;
  /** Mails the owners and co-owners about the new owner. */
  mailHandedOver(client: Client): Promise<void>;
  /** Mails an invitation. It contains no application or user name, so that senders can't put text into the mail. */
  mailInvited(invitation: InvitationMail): Promise<void>;
}

export type OwnerMailValues = Pick<MessageValues, 'person' | 'role' | 'reason'>;

export function createOwnerMails(options: OwnerMailsOptions): OwnerMails {
  const { mailer, accounts, serviceName: service, accentColor } = options;

  async function mailAccount(
    accountId: string,
    client: Client,
    kind: MessageKind,
    about: OwnerMailValues = {},
  ): Promise<boolean> {
    const account = await accounts.find(accountId);
    if (account?.status !== 'active' || !account.emailVerified) return false;
    const { email, profile } = account;
    const values = { service, email, application: client.name, link: options.linkTo(client.id), ...about };
    const mail = { to: email, language: languageOf(profile.locale), values, accentColor };
    await mailer.send(composeMail(kind, mail));
    return true;
  }

  const listOwners = ({ owner, coOwners }: Client) => [
    ...(owner === null ? [] : [owner]),
    ...coOwners.map(({ accountId }) => accountId),
  ];

  async function mailEach(
    accountIds: readonly string[],
    ...mail: readonly [client: Client, kind: MessageKind, about?: OwnerMailValues]
  ): Promise<boolean> {
    let isAnyMailed = false;
    for (const accountId of accountIds) isAnyMailed = (await mailAccount(accountId, ...mail)) || isAnyMailed;
    return isAnyMailed;
  }

  return {
    mailOwners: (client, kind, about) => mailEach(listOwners(client), client, kind, about),
    async mailJoined(client, accountId) {
      const person = (await accounts.find(accountId))?.email;
      const others = listOwners(client).filter((owner) => owner !== accountId);
      await mailEach(others, client, 'co_owner_joined', { person });
    },
    async mailRemoved(client, accountId) {
      await mailAccount(accountId, client, 'co_owner_removed');
    },
    async mailHandedOver(client) {
      const person = (await accounts.find(client.owner ?? ''))?.email;
      await mailEach(listOwners(client), client, 'application_handed_over', { person });
    },
    async mailInvited({ to, from, token, locale }) {
      if (!(await options.mailLimits.allowsMailTo(to))) return;
      const invited = await accounts.findByEmail(to);
      const language = languageOf(invited?.profile.locale ?? locale);
      const { invitationTtlSeconds: ttlSeconds } = options;
      const values = { service, email: to, from, link: options.linkToInvitation(token), ttlSeconds };
      await mailer.send(composeMail('application_invited', { to, language, values, accentColor }));
    },
  };
}
