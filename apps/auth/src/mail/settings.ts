import { type Config, secret } from '@keydesk/config';
import { z } from 'zod';
import { parseEmail } from './email-address.ts';
import { languages } from './message-texts.ts';

const oneLine = /^\P{Cc}+$/u;

/** The settings of outgoing mail. */
export const mailSettings = {
  smtpUrl: {
    env: 'SMTP_URL',
    schema: secret(
      z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
    ).describe(
      'Server that mail is handed to: `smtp://user:password@host:587` or `smtps://…`. Beyond this machine it must offer STARTTLS, unless the URL ends in `?ignoreTLS=true`; `?tls.servername=…` and the like reach the TLS connection. Without it mails are written to `MAIL_FOLDER`',
    ),
  },
  mailFrom: {
    env: 'MAIL_FROM',
    schema: z
      .string()
      .regex(oneLine, 'must be one line')
      .regex(/^[^<>]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/, 'must be `Name <address>` or an address')
      .default('Keydesk <no-reply@localhost>')
      .describe('Sender of every mail'),
  },
  operatorEmail: {
    env: 'OPERATOR_EMAIL',
    schema: z
      .string()
      .transform((text, issues) => {
        const email = parseEmail(text);
        if (email === undefined) issues.addIssue('must be the bare address of one mailbox');
        return email ?? z.NEVER;
      })
      .optional()
      .describe(
        'Address that receives a mail when a developer requests a role or verification; default: none',
      ),
  },
  operatorLanguage: {
    env: 'OPERATOR_LANGUAGE',
    schema: z
      .enum(languages)
      .default('en')
      .describe('Language of the mails to `OPERATOR_EMAIL`: `en` or `de`'),
  },
  mailFolder: {
    env: 'MAIL_FOLDER',
    schema: z
      .string()
      .default('./data/mail')
      .describe('Where mails are written to when `SMTP_URL` is not set'),
  },
} as const;

export type MailConfig = Config<typeof mailSettings>;

/** Reasons not to start in production with these settings. */
export function mailProblems(settled: Partial<MailConfig>): string[] {
  const { smtpUrl, mailFrom } = settled;
  return [
    // One that is set, and faulty, is absent, and was told of.
    ...('smtpUrl' in settled && smtpUrl === undefined
      ? ['SMTP_URL: is missing: nobody could confirm an address or reset a password']
      : []),
    ...(mailFrom?.endsWith('@localhost>') ? ['MAIL_FROM: is the default, which no server would accept'] : []),
  ];
}
