import { createTransport } from 'nodemailer';
import { toMessage } from './mail-composition.ts';
import type { Mailer } from './mailer.ts';

export interface SmtpMailerOptions {
  /** `smtp://` or `smtps://`; its query may override every option of nodemailer (`tls.ca`, `ignoreTLS`, …). */
  url: string;
  /** Sender, as `Name <address>` or the bare address. */
  from: string;
  /** How long a mail may take in all; 30,000 ms by default. */
  limitMs?: number | undefined;
}

/** A mail is sent in the background, but somebody waits for it: what has not gone by then is reported as lost. */
const timeouts = {
  dnsTimeout: 5_000,
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  socketTimeout: 15_000,
};
/** A server that sends a byte now and then never runs into one of those. */
const LIMIT_MS = 30_000;

/** Hands mails to an SMTP server, each on a connection of its own. */
export function createSmtpMailer({ url, from, limitMs = LIMIT_MS }: SmtpMailerOptions): Mailer {
  const transport = createTransport({ url, ...timeouts, requireTLS: mustEncrypt(new URL(url)) });

  return {
    async send(mail) {
      await transport.sendMail({ ...toMessage(mail, from), signal: AbortSignal.timeout(limitMs) });
    },
    close: () => transport.close(),
  };
}

/**
 * Mails carry links that open accounts, so a connection that leaves the machine is encrypted or refused. Without this
 * STARTTLS would be optional, and anybody on the way could strip it (RFC 3207 §6); the operator may still say so.
 */
function mustEncrypt({ hostname, searchParams }: URL): boolean {
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return !isLoopback && !searchParams.has('ignoreTLS') && !searchParams.has('opportunisticTLS');
}
