import { vi } from 'vitest';
import type { AuthConfig } from '../config.ts';
import { type ReceivedMail, startSmtpServer } from '../mail/smtp-server.fixture.ts';

/** A mail server, and everything that came to it. */
export interface Mailbox {
  /** The settings by which a server writes to it as often as it likes. */
  config: Pick<AuthConfig, 'smtpUrl' | 'mailRequestsPerNetwork' | 'mailsPerRecipient'>;
  /** Mails to an address, once there are as many as that. */
  mailsTo(email: string, count?: number): Promise<readonly ReceivedMail[]>;
  /** The link of the newest mail to an address that leads to a page of that path. */
  linkTo(email: string, path: string): Promise<string>;
  stop(): Promise<void>;
}

/** Bounds nothing but a test that is lost. */
const PATIENCE_MS = 30_000;

export async function startMailbox(): Promise<Mailbox> {
  const { port, received, close } = await startSmtpServer({ disabledCommands: ['STARTTLS'] });
  const to = (email: string) => received.filter((mail) => mail.to.includes(email));

  return {
    config: { smtpUrl: `smtp://127.0.0.1:${port}`, mailRequestsPerNetwork: 0, mailsPerRecipient: 0 },
    mailsTo: (email, count = 1) =>
      vi.waitFor(() => {
        const mails = to(email);
        if (mails.length < count) throw new Error(`${mails.length} of ${count} mails came to ${email}.`);
        return mails;
      }, PATIENCE_MS),
    linkTo: (email, path) =>
      vi.waitFor(() => {
        const links = to(email).flatMap(({ body }) => body.match(/https?:\/\/[^\s"<]+/g) ?? []);
        const link = links.findLast((each) => new URL(each).pathname === path);
        if (!link) throw new Error(`No mail to ${email} leads to ${path}.`);
        return link;
      }, PATIENCE_MS),
    stop: close,
  };
}
