import { vi } from 'vitest';
import type { AuthConfig } from '../../config.ts';
import { type ReceivedMail, startSmtpServer } from '../../mail/smtp-server.fixture.ts';

/** Mail server that stores all received mails. */
export interface Mailbox {
  /** Settings with which a server sends its mails here, without limits. */
  config: Pick<AuthConfig, 'smtpUrl' | 'mailRequestsPerNetwork' | 'mailsPerRecipient'>;
  /** Waits for `count` mails to an address and returns them, without those about sign-ins. */
  mailsTo(email: string, count?: number): Promise<readonly ReceivedMail[]>;
  /** Waits for `count` mails about sign-ins from new devices and returns them. */
  signInMailsTo(email: string, count?: number): Promise<readonly ReceivedMail[]>;
  /** Waits for a mail to an address with a link to a page of that path and returns the newest link. */
  linkTo(email: string, path: string): Promise<string>;
  stop(): Promise<void>;
}

/** Only bounds a test that fails. */
const WAIT_LIMIT_MS = 30_000;

export async function startMailbox(): Promise<Mailbox> {
  const { port, received, close } = await startSmtpServer({ disabledCommands: ['STARTTLS'] });
  const to = (email: string) => received.filter((mail) => mail.to.includes(email));

  return {
    config: { smtpUrl: `smtp://127.0.0.1:${port}`, mailRequestsPerNetwork: 0, mailsPerRecipient: 0 },
    mailsTo: (email, count = 1) => waitFor(count, () => to(email).filter((mail) => !isAboutSignIn(mail))),
    signInMailsTo: (email, count = 1) => waitFor(count, () => to(email).filter(isAboutSignIn)),
    linkTo: (email, path) =>
      vi.waitFor(() => {
        const links = to(email).flatMap(({ body }) => body.match(/https?:\/\/[^\s"<]+/g) ?? []);
        const link = links.findLast((each) => new URL(each).pathname === path);
        if (!link) throw new Error(`No mail to ${email} has a link to ${path}.`);
        return link;
      }, WAIT_LIMIT_MS),
    stop: close,
  };
}

/** In English or German. A mail about another address has such a link, too. */
const isAboutSignIn = ({ body }: ReceivedMail) =>
  body.includes('/not-me?token') && /network address|Netzwerkadresse/.test(body);

function waitFor(count: number, find: () => ReceivedMail[]): Promise<ReceivedMail[]> {
  return vi.waitFor(() => {
    const mails = find();
    if (mails.length < count) throw new Error(`${mails.length} of ${count} mails arrived.`);
    return mails;
  }, WAIT_LIMIT_MS);
}
