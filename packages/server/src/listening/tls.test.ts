import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { get, type RequestOptions } from 'node:https';
import { connect as connectPlainly } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { createCertificate, type TestCertificate } from '@keydesk/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLogger, listen } from '../index.ts';

const POLL_MS = 20;

/** Creates certificate files that are replaced atomically, as renewal programs do. */
function createFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  function replace(file: string, text: string) {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  }
  return {
    ...files,
    write({ cert, key }: TestCertificate) {
      replace(files.certFile, cert);
      replace(files.keyFile, key);
    },
  };
}

async function start(certificate = createCertificate()) {
  const files = createFiles();
  files.write(certificate);
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ name: 'test', level: 'info', isPretty: false, destination });
  const listening = await listen((_, response) => response.end('hello'), {
    host: '127.0.0.1',
    port: 0,
    tls: { ...files, log, pollMs: POLL_MS },
  });
  onTestFinished(() => listening.close());
  const events = () => lines.map((line) => JSON.parse(line).event);
  return { ...listening, write: files.write, events };
}

/** Performs a TLS handshake and returns the negotiated protocol and cipher suite. */
async function shakeHands(port: number, options: ConnectionOptions) {
  const socket: TLSSocket = connect({ port, host: '127.0.0.1', ...options });
  try {
    await once(socket, 'secureConnect');
    return { protocol: socket.getProtocol(), suite: socket.getCipher().name };
  } finally {
    socket.destroy();
  }
}

async function fetchText(url: string, options: RequestOptions): Promise<string> {
  const [response] = await once(get(url, { agent: false, ...options }), 'response');
  return (await response.toArray()).join('');
}

const legacy = 'ALL:@SECLEVEL=0';

describe('TLS (FAPI 2.0 Security Profile §5.2.1, RFC 9325 §3.1, §4.2)', () => {
  it('serves at the returned https URL to clients that trust the certificate', async () => {
    const certificate = createCertificate();
    const { url, port } = await start(certificate);
    expect(url).toBe(`https://127.0.0.1:${port}`);
    expect(await fetchText(url, { ca: certificate.cert })).toBe('hello');
    await expect(fetchText(url, { ca: createCertificate().cert })).rejects.toThrow(/self-signed/);
  });

  it.each([
    ['ec', 'TLSv1.3', undefined],
    ['ec', 'TLSv1.2', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
    ['ec', 'TLSv1.2', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
    ['rsa', 'TLSv1.3', undefined],
    ['rsa', 'TLSv1.2', 'ECDHE-RSA-AES128-GCM-SHA256'],
    ['rsa', 'TLSv1.2', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ] as const)('with an %s key supports %s %s', async (type, protocol, suite) => {
    const certificate = createCertificate(type);
    const { port } = await start(certificate);
    const version = { minVersion: protocol, maxVersion: protocol };
    const agreed = await shakeHands(port, {
      ca: certificate.cert,
      ...version,
      ...(suite && { ciphers: suite }),
    });
    expect(agreed).toEqual({ protocol, suite: suite ?? expect.stringMatching(/^TLS_/) });
  });

  it('refuses renegotiation in TLS 1.2 (RFC 9325 §3.5), even with a renewed certificate', async () => {
    const [certificate, renewed] = [createCertificate(), createCertificate()];
    const { port, write, events } = await start(certificate);
    const attempt = async (ca: string) => {
      const socket = connect({ port, host: '127.0.0.1', ca, maxVersion: 'TLSv1.2' });
      onTestFinished(() => void socket.destroy());
      await once(socket, 'secureConnect');
      return new Promise<Error | null>((resolve) => {
        socket.once('error', resolve);
        socket.renegotiate({}, resolve);
      });
    };
    expect(await attempt(certificate.cert)).toMatchObject({
      message: expect.stringMatching(/renegotiation/),
    });
    write(renewed);
    await vi.waitFor(() => expect(events()).toContain('tls.renewed'), 30_000);
    expect(await attempt(renewed.cert)).toMatchObject({ message: expect.stringMatching(/renegotiation/) });
  });

  it.each(['TLSv1', 'TLSv1.1'] as const)('refuses %s', async (version) => {
    const certificate = createCertificate();
    const { port } = await start(certificate);
    const options = { ca: certificate.cert, minVersion: version, maxVersion: version, ciphers: legacy };
    await expect(shakeHands(port, options)).rejects.toThrow(/alert protocol version/);
  });

  it.each([
    ['CBC', 'ECDHE-RSA-AES128-SHA256:ECDHE-RSA-AES256-SHA384:ECDHE-RSA-AES128-SHA'],
    ['RSA key exchange', 'AES128-GCM-SHA256:AES256-GCM-SHA384'],
    ['TLS 1.2 suites other than ECDHE with AES-GCM', `${legacy}:!AESGCM`],
  ])('refuses %s', async (_, suites) => {
    const certificate = createCertificate('rsa');
    const { port } = await start(certificate);
    const options = { ca: certificate.cert, maxVersion: 'TLSv1.2', ciphers: suites } as const;
    await expect(shakeHands(port, options)).rejects.toThrow(/alert handshake failure/);
  });

  it('does not respond to plain http', async () => {
    const { port } = await start();
    const socket = connectPlainly(port, '127.0.0.1');
    socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    await once(socket, 'close');
    expect(Buffer.concat(chunks).toString('latin1')).not.toContain('HTTP/');
  });
});

describe('a renewed certificate', () => {
  it('is used for new connections without a restart, with the same cipher suites', async () => {
    const { url, port, write, events } = await start();
    const renewed = createCertificate('rsa');
    write(renewed);
    await expect.poll(events).toContain('tls.renewed');
    expect(await fetchText(url, { ca: renewed.cert })).toBe('hello');
    const cbc = { ca: renewed.cert, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-SHA256' } as const;
    await expect(shakeHands(port, cbc)).rejects.toThrow(/alert handshake failure/);
  });

  it('that is invalid is logged as an error while the previous one stays in use', async () => {
    const old = createCertificate();
    const { url, write, events } = await start(old);
    const renewed = createCertificate();
    // The files are replaced one after the other, so certificate and key may not match in between.
    for (const broken of [
      { cert: 'no PEM', key: createCertificate().key },
      { cert: renewed.cert, key: createCertificate().key },
    ]) {
      const failures = events().length;
      write(broken);
      await expect.poll(() => events().length).toBeGreaterThan(failures);
      expect(events().every((event) => event === 'tls.renewal_failed')).toBe(true);
      expect(await fetchText(url, { ca: old.cert })).toBe('hello');
    }
    write(renewed);
    await expect.poll(events).toContain('tls.renewed');
    expect(await fetchText(url, { ca: renewed.cert })).toBe('hello');
  });
});

describe('an invalid certificate at start', () => {
  it.each([
    [
      'does not match its key',
      { cert: createCertificate().cert, key: createCertificate().key },
      /key values mismatch/,
    ],
    ['is not PEM', { cert: 'x', key: 'x' }, /PEM/],
    ['does not exist', undefined, /ENOENT/],
  ])('is refused with its path and the reason when it %s', async (_, content, reason) => {
    const { write, ...files } = createFiles();
    if (content) write(content);
    const log = createLogger({ name: 'test', level: 'silent', isPretty: false });
    const started = listen(() => undefined, { host: '127.0.0.1', port: 0, tls: { ...files, log } });
    await expect(started).rejects.toThrow(files.certFile);
    await expect(started).rejects.toThrow(reason);
  });
});
