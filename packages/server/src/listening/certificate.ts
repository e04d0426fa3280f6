import { constants } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Server } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';

/** Files of a certificate and the interval at which they are checked for changes. */
export interface CertificateOptions {
  /** Path of the certificate with its chain, PEM. */
  certFile: string;
  /** Path of its private key, PEM. */
  keyFile: string;
  log: Logger;
  /** Interval at which the files are checked for changes. */
  pollMs?: number | undefined;
}

/** A loaded certificate that can be reloaded when its files change. */
export interface Certificate {
  /** Options for `https.createServer`. */
  options: SecureContextOptions;
  /** Applies each renewed certificate to new connections of a server; returns a function that stops this. */
  watch(server: Server): () => void;
}

const POLL_MS = 5_000;

/** Disables renegotiation, by which TLS 1.2 clients could repeat costly handshakes (RFC 9325 §3.5). */
const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;

/** Cipher suites of FAPI 2.0 Security Profile §5.2.1 and BCP 195 (RFC 9325 §4.2): ECDHE with AES-GCM in TLS 1.2. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
].join(':');

/**
 * Reads a certificate for TLS 1.2 and 1.3.
 *
 * @throws {Error} when a file cannot be read or is not PEM, or when certificate and key do not match
 */
export async function openCertificate(files: CertificateOptions): Promise<Certificate> {
  const { certFile, log, pollMs = POLL_MS } = files;
  // Read before the files, so that a change in between is detected later.
  let seen = await readFileStamp(files);
  const options = await load(files);

  async function renew(server: Server): Promise<void> {
    const stamp = await readFileStamp(files);
    if (stamp === seen) return;
    seen = stamp;
    try {
      server.setSecureContext(await load(files));
      log.info({ event: 'tls.renewed', file: certFile }, 'the renewed certificate is in use');
    } catch (err) {
      log.error(
        { err, event: 'tls.renewal_failed' },
        'the changed certificate is invalid; the previous one stays in use',
      );
    }
  }

  return {
    options,
    watch(server) {
      const timer = setInterval(() => void renew(server), pollMs).unref();
      return () => clearInterval(timer);
    },
  };
}

async function load({ certFile, keyFile }: CertificateOptions): Promise<SecureContextOptions> {
  try {
    const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
    const options: SecureContextOptions = { cert, key, minVersion: 'TLSv1.2', ciphers, secureOptions };
    // Fails when certificate and key do not match, before a server uses them.
    createSecureContext(options);
    return options;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The certificate ${certFile} with the key ${keyFile} cannot be used: ${reason}`, {
      cause,
    });
  }
}

/** Returns a text that changes with the files, even when a link changes its target. */
async function readFileStamp({ certFile, keyFile }: CertificateOptions): Promise<string> {
  const stamps = [certFile, keyFile].map(async (file) => {
    const { mtimeMs, ino, size } = await stat(file);
    return `${mtimeMs} ${ino} ${size}`;
  });
  return (await Promise.allSettled(stamps))
    .map((stamp) => (stamp.status === 'fulfilled' ? stamp.value : 'absent'))
    .join();
}
