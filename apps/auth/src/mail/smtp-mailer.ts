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
/** Short, because a person waits for the answer. */
const READY_LIMIT_MS = 5_000;
/** Spares a server that answers a connection for each mail. */
const READY_FOR_MS = 10_000;

/** Hands mails to an SMTP server, each on a connection of its own. */
export function createSmtpMailer({ url, from, limitMs = LIMIT_MS }: SmtpMailerOptions): Mailer {
  const transport = createTransport({ url, ...timeouts, requireTLS: mustEncrypt(new URL(url)) });
  const verify = async () => void (await within(READY_LIMIT_MS, transport.verify()));

  return {
    async send(mail) {
      await transport.sendMail({ ...toMessage(mail, from), signal: AbortSignal.timeout(limitMs) });
    },
    requireReady: remembered(READY_FOR_MS, verify),
    close: () => transport.close(),
  };
}

/** Rejects when a promise takes longer than that. */
async function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error('The mail server does not answer.')), limitMs);
  try {
    return await Promise.race([promise, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Shares one call among all that come while it is under way, and its success for a while longer. */
function remembered(forMs: number, check: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> | undefined;
  let isCurrent = false;
  let checkedAt = 0;
  return () => {
    if (last && (isCurrent || performance.now() - checkedAt < forMs)) return last;
    isCurrent = true;
    last = check().finally(() => {
      isCurrent = false;
      checkedAt = performance.now();
    });
    last.catch(() => {
      checkedAt = Number.NEGATIVE_INFINITY;
    });
    return last;
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
