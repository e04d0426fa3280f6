import { isLoopback } from '@keydesk/config';
import type { Transporter } from 'nodemailer';
import { loadNodemailer, toMessage } from './mail-composition.ts';
import type { Mailer } from './mailer.ts';

export interface SmtpMailerOptions {
  /** `smtp://` or `smtps://`; the query can override every option of nodemailer (`tls.ca`, `ignoreTLS`, …). */
  url: string;
  /** Sender, as `Name <address>` or a bare address. */
  from: string;
  /** Total time limit of a mail (default: 30,000 ms). */
  limitMs?: number | undefined;
}

/**
 * Timeouts in milliseconds. Mails are sent in the background, but users wait for them; a mail that times out is
 * reported as lost.
 */
const timeouts = {
  dnsTimeout: 5_000,
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  socketTimeout: 15_000,
};
/** A server that sends a byte from time to time would never trigger the timeouts above. */
const LIMIT_MS = 30_000;
/** Short, because a user is waiting for the response. */
const READY_LIMIT_MS = 5_000;
/** Saves a connection per request while the server is available. */
const READY_FOR_MS = 10_000;

/** Creates a mailer that sends each mail on a connection of its own. */
export function createSmtpMailer({ url, from, limitMs = LIMIT_MS }: SmtpMailerOptions): Mailer {
  const options = { url, ...timeouts, requireTLS: mustEncrypt(new URL(url)) };
  let opened: Transporter | undefined;
  function open(): Transporter {
    opened ??= loadNodemailer().createTransport(options);
    return opened;
  }
  const verify = async () => void (await withTimeout(READY_LIMIT_MS, open().verify()));

  return {
    async send(mail) {
      await open().sendMail({ ...toMessage(mail, from), signal: AbortSignal.timeout(limitMs) });
    },
    requireReady: createCachedCheck(READY_FOR_MS, verify),
    close: () => opened?.close(),
  };
}

/** Rejects if the promise takes longer than `limitMs`. */
async function withTimeout<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error('The mail server does not answer.')), limitMs);
  try {
    return await Promise.race([promise, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Shares a pending check between concurrent callers and reuses its success for `forMs`. */
function createCachedCheck(forMs: number, check: () => Promise<void>): () => Promise<void> {
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
 * Whether the connection must be encrypted. Mails contain links that give access to accounts, so connections to other
 * machines require TLS. Opportunistic STARTTLS could be stripped by an attacker on the network (RFC 3207 §6); the
 * operator can allow it explicitly.
 */
function mustEncrypt(url: URL): boolean {
  const { searchParams } = url;
  return !isLoopback(url) && !searchParams.has('ignoreTLS') && !searchParams.has('opportunisticTLS');
}
