import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  /** Envelope addresses. */
  from: string;
  to: readonly string[];
  /** Header lines, unfolded. */
  headers: readonly string[];
  /** Decoded plain text and HTML. */
  body: string;
  isEncrypted: boolean;
}

export interface TestSmtpServer {
  port: number;
  /** All received mails, in order. */
  received: ReceivedMail[];
  close(): Promise<void>;
}

/** Starts a real SMTP server on a free port of every interface. It offers STARTTLS with a self-signed certificate. */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    ...options,
    onData(stream, { envelope, secure }, done) {
      buffer(stream).then((raw) => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        const to = envelope.rcptTo.map(({ address }) => address);
        received.push({ from, to, ...readMail(raw), isEncrypted: secure });
        done();
      }, done);
    },
  });
  // A client that disconnects because of the certificate causes a server error, which no test expects.
  server.on('error', () => undefined);
  const listening = server.listen(0, '0.0.0.0');
  await once(listening, 'listening');
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('The SMTP server has no port.');
  return {
    port: address.port,
    received,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Parses the headers and the text of a mail from nodemailer, which is quoted-printable or plain. */
export function readMail(raw: Buffer): Pick<ReceivedMail, 'headers' | 'body'> {
  const text = raw.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const headers = text
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  return { headers, body: decodeQuotedPrintable(text.slice(end)) };
}

function decodeQuotedPrintable(text: string): string {
  const bytes = text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
