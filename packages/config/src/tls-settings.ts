import { z } from 'zod';
import type { Config } from './config.ts';

/** The settings of a program that serves TLS itself. */
export const tlsSettings = {
  tlsCertFile: {
    env: 'TLS_CERT_FILE',
    schema: z
      .string()
      .optional()
      .describe(
        'Certificate with its chain (PEM), to serve https without a proxy; a renewed one is taken up',
      ),
  },
  tlsKeyFile: {
    env: 'TLS_KEY_FILE',
    schema: z.string().optional().describe('Private key of the certificate (PEM)'),
  },
} as const;

type TlsConfig = Partial<Config<typeof tlsSettings>>;

/** Why the two settings cannot be used together with each other, or with the URL that clients reach the program by. */
export function tlsFaults(
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

/** The paths to serve TLS with; `undefined` for plain HTTP. */
export function tlsFilesOf({ tlsCertFile, tlsKeyFile }: TlsConfig) {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  return { certFile: tlsCertFile, keyFile: tlsKeyFile };
}
