import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Mailer } from './mailer.ts';
import { createSmtpMailer } from './smtp-mailer.ts';
import { startSmtpServer, type TestSmtpServer } from './smtp-server.fixture.ts';

const from = 'Keydesk <no-reply@keydesk.example>';
const mail = { to: 'ann@example.org', subject: 'Grüße', text: 'Schöner Text\n', html: '<p>Schöner Text</p>' };

const open: { close(): unknown }[] = [];
afterEach(() => Promise.all(open.splice(0).map((each) => each.close())));

async function startServer(options?: Parameters<typeof startSmtpServer>[0]): Promise<TestSmtpServer> {
  const server = await startSmtpServer(options);
  open.push(server);
  return server;
}

function openMailer(url: string, limitMs?: number): Mailer {
  const mailer = createSmtpMailer({ url, from, limitMs });
  open.push(mailer);
  return mailer;
}

describe('mail over SMTP', () => {
  it('arrives as text and as HTML, from the configured sender', async () => {
    const { port, received } = await startServer({ disabledCommands: ['STARTTLS'] });
    await openMailer(`smtp://127.0.0.1:${port}`).send(mail);
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ from: 'no-reply@keydesk.example', to: ['ann@example.org'] });
    expect(received[0]?.headers).toContain('From: Keydesk <no-reply@keydesk.example>');
    expect(received[0]?.headers).toContain('To: ann@example.org');
    expect(received[0]?.headers).toContain('Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=');
    expect(received[0]?.body).toContain('Schöner Text');
    expect(received[0]?.body).toContain('<p>Schöner Text</p>');
  });

  it('is marked as auto-generated (RFC 3834 §5)', async () => {
    const { port, received } = await startServer({ disabledCommands: ['STARTTLS'] });
    await openMailer(`smtp://127.0.0.1:${port}`).send(mail);
    expect(received[0]?.headers).toContain('Auto-Submitted: auto-generated');
  });

  it('authenticates with the credentials of the URL', async () => {
    const credentials: unknown[] = [];
    const { port } = await startServer({
      authOptional: false,
      disabledCommands: ['STARTTLS'],
      onAuth({ username, password }, _session, done) {
        credentials.push({ username, password });
        done(null, { user: username });
      },
    });
    await openMailer(`smtp://keydesk:p%40ss%2Fword@127.0.0.1:${port}?ignoreTLS=true`).send(mail);
    expect(credentials).toEqual([{ username: 'keydesk', password: 'p@ss/word' }]);
  });

  it('fails with the reason of the server if the mail is rejected', async () => {
    const { port } = await startServer({
      disabledCommands: ['STARTTLS'],
      onRcptTo: (_address, _session, done) => done(new Error('no such mailbox')),
    });
    await expect(openMailer(`smtp://127.0.0.1:${port}`).send(mail)).rejects.toThrow('no such mailbox');
  });

  it('fails within seconds if the server accepts the connection and stays silent', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    open.push(silent);
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const startedAt = performance.now();
    await expect(openMailer(`smtp://127.0.0.1:${port}`).send(mail)).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it('fails in time, and disconnects, if the server keeps sending an endless response', async () => {
    const sockets: Socket[] = [];
    const endless = createServer((socket) => {
      sockets.push(socket);
      socket.write('220 welcome\r\n');
      const timer = setInterval(() => socket.write('2'), 10);
      socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(endless, 'listening');
    open.push(endless);
    const { port } = endless.address() as AddressInfo;
    await expect(openMailer(`smtp://127.0.0.1:${port}`, 300).send(mail)).rejects.toThrow();
    await expect.poll(() => sockets.map(({ closed }) => closed)).toEqual([true]);
  });
});

describe('mail to a remote server (RFC 3207 §6)', () => {
  // 0.0.0.0 reaches this machine, but is not a loopback address.
  const beyond = (port: number, query = '') => `smtp://0.0.0.0:${port}${query}`;

  it('is not sent if the server, or an attacker on the network, offers no STARTTLS', async () => {
    const { port, received } = await startServer({ disabledCommands: ['STARTTLS'] });
    await expect(openMailer(beyond(port)).send(mail)).rejects.toThrow();
    expect(received).toEqual([]);
  });

  it('is not sent to a server with an untrusted certificate', async () => {
    const { port, received } = await startServer();
    await expect(openMailer(beyond(port)).send(mail)).rejects.toThrow('certificate');
    expect(received).toEqual([]);
  });

  it('is sent over TLS with the options of the URL', async () => {
    const { port, received } = await startServer();
    await openMailer(beyond(port, '?tls.rejectUnauthorized=false')).send(mail);
    expect(received.map(({ isEncrypted }) => isEncrypted)).toEqual([true]);
  });

  it('is sent unencrypted only if the URL allows it', async () => {
    const { port, received } = await startServer({ disabledCommands: ['STARTTLS'] });
    await openMailer(beyond(port, '?ignoreTLS=true')).send(mail);
    expect(received.map(({ isEncrypted }) => isEncrypted)).toEqual([false]);
  });
});

describe('a recipient or a subject that would inject headers (RFC 5322 §2.2)', () => {
  it.each([
    { to: 'ann@example.org\r\nBcc: eve@example.org' },
    { to: 'ann@example.org\nBcc: eve@example.org' },
    { to: 'ann@example.org, eve@example.org' },
    { to: 'ann@example.org; eve@example.org' },
    { to: 'Ann <ann@example.org>' },
    { to: '<ann@example.org> eve@example.org' },
    { to: 'ann@example.org\0' },
    { to: 'ann@example.org%0d%0aBcc: eve@example.org' },
    { to: '' },
    { subject: 'Hello\r\nBcc: eve@example.org' },
    { subject: 'Hello\nBcc: eve@example.org' },
    { subject: 'Hello\rBcc: eve@example.org' },
    { subject: 'Hello\u0085Bcc: eve@example.org' },
  ])('is rejected: %j', async (part) => {
    const { port, received } = await startServer({ disabledCommands: ['STARTTLS'] });
    await expect(openMailer(`smtp://127.0.0.1:${port}`).send({ ...mail, ...part })).rejects.toThrow(
      /^The (recipient|subject) of a mail/,
    );
    expect(received).toEqual([]);
  });
});
