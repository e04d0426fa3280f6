import type { SendMailOptions } from 'nodemailer';
import { parseEmail } from './email-address.ts';
import type { Mail } from './mailer.ts';

const controlCharacter = /\p{Cc}/u;

/**
 * A mail as nodemailer takes it. The envelope is our own, so that nothing in a header decides who receives it, and
 * `Auto-Submitted` (RFC 3834 §5) keeps out-of-office replies away.
 *
 * @throws {Error} when the recipient is not exactly one mailbox or the subject not one line (RFC 5322 §2.2)
 */
export function toMessage({ to, subject, text, html }: Mail, from: string): SendMailOptions {
  if (parseEmail(to) !== to) throw new Error('A mail goes to the bare address of one mailbox.');
  if (controlCharacter.test(subject)) throw new Error('The subject of a mail is one line of text.');
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
