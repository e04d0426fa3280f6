import type { RateLimiter } from '@keydesk/rate-limit';
import type { Mailer } from '../../mail/mailer.ts';
import type { MessageKind } from '../../mail/message-texts.ts';
import { composeMail } from '../../mail/messages.ts';
import type { Language } from '../../pages/language.ts';
import type { Client, TrustRequest } from '../client.ts';
import type { OwnerMails } from '../owners/owner-mails.ts';
import { listJustClosed } from './trust-request.ts';

export interface TrustMailsOptions {
  mailer: Pick<Mailer, 'send'>;
  ownerMails: Pick<OwnerMails, 'mailOwners'>;
  /** Receives a mail about each new request; default: no mails. */
  operatorEmail: string | undefined;
  operatorLanguage: Language;
  /** Limits mails to the operator, so that developers cannot flood the mailbox. */
  perOperator: RateLimiter;
  serviceName: string;
  /** `#rrggbb` */
  accentColor: string | undefined;
}

/** Sends mails about trust requests. Both methods reject if the mail server rejects a mail. */
export interface TrustMails {
  /** Mails the operator about a pending request, without text of the developer. */
  mailOperator(client: Client, request: TrustRequest): Promise<void>;
  /** Mails all owners the decisions of the last change of the client; returns whether any mail was sent. */
  mailOwners(client: Client): Promise<boolean>;
}

export function createTrustMails(options: TrustMailsOptions): TrustMails {
  const { mailer, ownerMails, operatorEmail, operatorLanguage, perOperator, accentColor } = options;
  const service = options.serviceName;

  return {
    async mailOperator({ id: clientId }, { kind, role, id: requestId }) {
      if (operatorEmail === undefined || !(await perOperator.consume('operator')).isAllowed) return;
      const values = { service, email: operatorEmail, clientId, requestId, ...(role && { role }) };
      const mail = { to: operatorEmail, language: operatorLanguage, values, accentColor };
      await mailer.send(composeMail(`${kind}_requested`, mail));
    },
    async mailOwners(client) {
      const decided = listJustClosed(client).flatMap((request) => toDecided(request) ?? []);
      let isAnyMailed = false;
      for (const { kind, role, reason } of decided)
        isAnyMailed =
          (await ownerMails.mailOwners(client, kind, { ...(role && { role }), reason })) || isAnyMailed;
      return isAnyMailed;
    },
  };
}

function toDecided({ kind, status, role, decisionReason }: TrustRequest) {
  if (status !== 'approved' && status !== 'rejected') return undefined;
  const message: MessageKind = `${kind}_${status}`;
  return { kind: message, role, reason: decisionReason ?? undefined };
}
