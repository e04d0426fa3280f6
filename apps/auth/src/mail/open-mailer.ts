import { createFileMailer, type FileMailerOptions } from './file-mailer.ts';
import type { Mailer } from './mailer.ts';
import type { MailConfig } from './settings.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

export interface OpenMailerOptions extends Pick<FileMailerOptions, 'newId' | 'log'> {
  config: MailConfig;
}

/** The mailer that the settings ask for: SMTP where there is a server, files otherwise. */
export function openMailer({ config, newId, log }: OpenMailerOptions): Mailer {
  const { smtpUrl: url, mailFrom: from, mailFolder: folder } = config;
  return url === undefined ? createFileMailer({ folder, from, newId, log }) : createSmtpMailer({ url, from });
}
