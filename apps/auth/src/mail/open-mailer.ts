import { createFileMailer, type FileMailerOptions } from './file-mailer.ts';
import type { Mailer } from './mailer.ts';
import type { MailConfig } from './settings.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

export interface OpenMailerOptions extends Pick<FileMailerOptions, 'newId' | 'log'> {
  config: MailConfig;
}

/** Creates the configured mailer: SMTP if a server is set, files otherwise. */
export function openMailer({ config, newId, log }: OpenMailerOptions): Mailer {
  const { smtpUrl: url, mailFrom: from, mailFolder: folder } = config;
  return url === undefined ? createFileMailer({ folder, from, newId, log }) : createSmtpMailer({ url, from });
}
