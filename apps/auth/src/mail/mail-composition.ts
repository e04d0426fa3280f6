import { lazyModule } from '@keydesk/server';
import type { SendMailOptions } from 'nodemailer';
import { parseEmail } from './email-address.ts';
import type { Mail } from './mailer.ts';

const controlCharacter = /\p{Cc}/u;

/**
 * Converts a mail to nodemailer's options. The explicit envelope keeps headers from changing the recipient, and
 * `Auto-Submitted` (RFC 3834 §5) suppresses out-of-office replies.
 *
 * @throws {Error} if the recipient is not exactly one mailbox or the subject is not one line (RFC 5322 §2.2)
 */
export function toMessage({ to, subject, text, html }: Mail, from: string): SendMailOptions {
  if (parseEmail(to) !== to)
    throw new Error('The recipient of a mail must be the bare address of one mailbox.');
  if (controlCharacter.test(subject)) throw new Error('The subject of a mail must be one line of text.');
  return {
    from,
    to: { name: '', address: to },
    envelope: { from, to: [to] },
    subject,
    text,
    html,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Loads the library with the first mail. */
export const loadNodemailer = lazyModule<typeof import('nodemailer')>('nodemailer', import.meta.url);
