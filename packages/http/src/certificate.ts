import { constants } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Server } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';

/** Where a certificate is, and how often it is looked at. */
export interface CertificateOptions {
  /** Path of the certificate with its chain, PEM. */
  certFile: string;
  /** Path of its private key, PEM. */
  keyFile: string;
  log: Logger;
  /** How often the files are looked at. */
  pollMs?: number | undefined;
}

/** A certificate as it was found on the disk, and what renews it. */
export interface Certificate {
  /** What `https.createServer` takes. */
  options: SecureContextOptions;
  /** Lets a server present each renewed certificate to new connections; returns what ends that. */
  renewOn(server: Server): () => void;
}

const POLL_MS = 5_000;

/** A client of TLS 1.2 could have one connection make the costly half of a handshake again and again (RFC 9325 §3.5). */
const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;

/** FAPI 2.0 Security Profile §5.2.1 and BCP 195 (RFC 9325 §4.2): of TLS 1.2 only ECDHE with AES-GCM. */
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
 * @throws {Error} when a file cannot be read, is no PEM, or the key is another certificate's
 */
export async function openCertificate(files: CertificateOptions): Promise<Certificate> {
  const { certFile, log, pollMs = POLL_MS } = files;
  // Before the files are read: a change in between is then seen as one.
  let seen = await stampOf(files);
  const options = await load(files);

  async function renew(server: Server): Promise<void> {
    const stamp = await stampOf(files);
    if (stamp === seen) return;
    seen = stamp;
    try {
      server.setSecureContext(await load(files));
      log.info({ event: 'tls.renewed', file: certFile }, 'the renewed certificate is in use');
    } catch (err) {
      log.error(
        { err, event: 'tls.renewal_failed' },
        'the changed certificate is not usable; the old one stays',
      );
    }
  }

  return {
    options,
    renewOn(server) {
      const timer = setInterval(() => void renew(server), pollMs).unref();
      return () => clearInterval(timer);
    },
  };
}

async function load({ certFile, keyFile }: CertificateOptions): Promise<SecureContextOptions> {
  try {
    const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
    const options: SecureContextOptions = { cert, key, minVersion: 'TLSv1.2', ciphers, secureOptions };
    // Fails on what is no pair, and before a server has taken any of it.
    createSecureContext(options);
    return options;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The certificate ${certFile} with the key ${keyFile} is not usable: ${reason}`, {
      cause,
    });
  }
}

/** Tells one state of the files from another, also when one takes the other's place by a link. */
async function stampOf({ certFile, keyFile }: CertificateOptions): Promise<string> {
  const stamps = [certFile, keyFile].map(async (file) => {
    const { mtimeMs, ino, size } = await stat(file);
    return `${mtimeMs} ${ino} ${size}`;
  });
  return (await Promise.allSettled(stamps))
    .map((stamp) => (stamp.status === 'fulfilled' ? stamp.value : 'absent'))
    .join();
}
