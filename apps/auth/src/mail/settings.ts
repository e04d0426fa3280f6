import { type Config, secret } from '@keydesk/config';
import { z } from 'zod';
import { languages } from '../pages/language.ts';
import { parseEmail } from './email-address.ts';

const oneLine = /^\P{Cc}+$/u;

/** Settings of outgoing mail. */
export const mailSettings = {
  smtpUrl: {
    env: 'SMTP_URL',
    schema: secret(
      z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
    ).describe(
      'Mail server: `smtp://user:password@host:587` or `smtps://…`. A remote server must offer STARTTLS, unless the URL ends in `?ignoreTLS=true`; TLS options such as `?tls.servername=…` are possible. If unset, mails are written to `MAIL_FOLDER`',
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
      .describe('Address that is notified when a developer requests a role or verification (default: none)'),
  },
  operatorLanguage: {
    env: 'OPERATOR_LANGUAGE',
    schema: z
      .enum(languages)
      .default('en')
      .describe(
        `Language of mails to \`OPERATOR_EMAIL\`: ${languages.map((tag) => `\`${tag}\``).join(' or ')}`,
      ),
  },
  mailFolder: {
    env: 'MAIL_FOLDER',
    schema: z.string().default('./data/mail').describe('Folder for mails if `SMTP_URL` is not set'),
  },
} as const;

export type MailConfig = Config<typeof mailSettings>;

/** Reasons not to start in production with these settings. */
export function mailProblems(config: Partial<MailConfig>): string[] {
  const { smtpUrl, mailFrom } = config;
  return [
    // An invalid value has already been reported; it is absent here.
    ...('smtpUrl' in config && smtpUrl === undefined
      ? ['SMTP_URL: is missing; without it, users cannot confirm an address or reset a password']
      : []),
    ...(mailFrom?.endsWith('@localhost>')
      ? ['MAIL_FROM: is the default, which mail servers reject; set an address of your domain']
      : []),
  ];
}
