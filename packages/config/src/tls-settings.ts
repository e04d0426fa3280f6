import { z } from 'zod';
import type { Config } from './config.ts';

/** Settings of a program that terminates TLS itself. */
export const tlsSettings = {
  tlsCertFile: {
    env: 'TLS_CERT_FILE',
    schema: z
      .string()
      .optional()
      .describe('Certificate with its chain (PEM), to serve https without a proxy; reloaded when renewed'),
  },
  tlsKeyFile: {
    env: 'TLS_KEY_FILE',
    schema: z.string().optional().describe('Private key of the certificate (PEM)'),
  },
} as const;

type TlsConfig = Partial<Config<typeof tlsSettings>>;

/** Returns the conflicts of the TLS settings with each other and with the public URL. */
export function findTlsConflicts(
  { tlsCertFile, tlsKeyFile }: TlsConfig,
  publicUrl: { env: string; url: string | undefined },
): string[] {
  const checks: [isFaulty: boolean, reason: string][] = [
    [!tlsCertFile && tlsKeyFile !== undefined, 'TLS_CERT_FILE: must be set when TLS_KEY_FILE is'],
    [!tlsKeyFile && tlsCertFile !== undefined, 'TLS_KEY_FILE: must be set when TLS_CERT_FILE is'],
    [
      tlsCertFile !== undefined && publicUrl.url?.startsWith('http:') === true,
      `${publicUrl.env}: must be an https URL when TLS_CERT_FILE is set`,
    ],
  ];
  return checks.filter(([isFaulty]) => isFaulty).map(([, reason]) => reason);
}

/** Returns the paths of certificate and key; `undefined` for plain HTTP. */
export function toTlsFiles({ tlsCertFile, tlsKeyFile }: TlsConfig) {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  return { certFile: tlsCertFile, keyFile: tlsKeyFile };
}
