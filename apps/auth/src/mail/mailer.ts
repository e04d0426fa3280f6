import { tracingChannel } from 'node:diagnostics_channel';
import { createFileMailer, type FileMailerOptions } from './file-mailer.ts';
import type { MailConfig } from './settings.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

/** Mail to one recipient. */
export interface Mail {
  /** Bare address of one mailbox, as returned by `parseEmail`. */
  to: string;
  /** One line. */
  subject: string;
  text: string;
  html?: string | undefined;
}

/** Sends mails. */
export interface Mailer {
  /**
   * Resolves when the mail server has accepted the mail.
   *
   * @throws {Error} if it was not accepted, or if the recipient or the subject could inject a header or a recipient
   */
  send(mail: Mail): Promise<void>;
  /**
   * Checks that a mail could be sent now, without sending one.
   *
   * @throws {Error} if not
   */
  requireReady(): Promise<void>;
  /** Closes open connections. */
  close(): void;
}

interface OpenMailerOptions extends Pick<FileMailerOptions, 'newId' | 'log'> {
  config: MailConfig;
}

const mails = tracingChannel('keydesk:mail');

/** Creates the configured mailer: SMTP if a server is set, files otherwise. Traces see when it sends, not what. */
export function openMailer({ config, newId, log }: OpenMailerOptions): Mailer {
  const { smtpUrl: url, mailFrom: from, mailFolder: folder } = config;
  const mailer =
    url === undefined ? createFileMailer({ folder, from, newId, log }) : createSmtpMailer({ url, from });
  return { ...mailer, send: (mail) => mails.tracePromise(() => mailer.send(mail), {}) };
}
