import { lazyModule } from '@keydesk/server';
import type { Sealer } from '../../keys/sealing.ts';

/** Parameters that every authenticator app supports (RFC 6238 §1.2, §5.2). */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** RFC 4226 §4, R6: a shared secret should have 160 bits. */
const SECRET_BYTES = 20;
/** Tolerated time steps in both directions (RFC 6238 §5.2, §6). */
const WINDOW = 1;
const OFFER_TTL_MS = 30 * 60_000;

/** Secrets and codes of authenticator apps. */
export interface TotpCodes {
  /** Creates a secret, in base32. */
  createSecret(): string;
  /** Returns the URI that authenticator apps read from a QR code (Key URI Format of Google Authenticator). */
  uriOf(secret: string, email: string): string;
  /** Seals a secret for storage with one account, base64url. */
  seal(secret: string, accountId: string): string;
  /** Opens a sealed secret. @throws {Error} if it was sealed for another account or altered */
  open(sealed: string, accountId: string): string;
  /** Whether this secret was sealed; `false` also if the sealed one cannot be opened, as after a new master secret. */
  isSealed(secret: string, sealed: string, accountId: string): boolean;
  /** Seals the secret of a set-up for the page's form. It expires after 30 minutes. */
  sealOffer(secret: string, accountId: string): string;
  /** Opens the secret of a set-up; `undefined` if it has expired or is not of this account. */
  openOffer(sealed: string, accountId: string): string | undefined;
  /** Returns the time step of a valid code that is later than `lastStep` (RFC 6238 §5.2). */
  findStep(code: string, secret: string, lastStep?: number): number | undefined;
}

interface TotpCodesOptions {
  sealer: Sealer;
  /** Name of the service in authenticator apps. */
  serviceName: string;
  now: () => Date;
}

const loadLibrary = lazyModule<typeof import('otpauth')>('otpauth', import.meta.url);

export function createTotpCodes({ sealer, serviceName, now }: TotpCodesOptions): TotpCodes {
  const seal = (text: string, place: string) =>
    Buffer.from(sealer.seal(Buffer.from(text), place)).toString('base64url');
  const open = (sealed: string, place: string) =>
    sealer.open(Buffer.from(sealed, 'base64url'), place).toString();

  return {
    createSecret() {
      const { Secret } = loadLibrary();
      return new Secret({ size: SECRET_BYTES }).base32;
    },
    uriOf(secret, label) {
      const { TOTP } = loadLibrary();
      // A colon separates the issuer from the label.
      const issuer = serviceName.replaceAll(':', ' ');
      return new TOTP({ ...parameters, issuer, label, secret }).toString();
    },
    seal: (secret, accountId) => seal(secret, `totp of ${accountId}`),
    open: (sealed, accountId) => open(sealed, `totp of ${accountId}`),
    isSealed(secret, sealed, accountId) {
      try {
        return open(sealed, `totp of ${accountId}`) === secret;
      } catch {
        return false;
      }
    },
    sealOffer: (secret, accountId) =>
      seal(JSON.stringify({ secret, expiresAt: now().getTime() + OFFER_TTL_MS }), `totp offer ${accountId}`),
    openOffer(sealed, accountId) {
      try {
        const { secret, expiresAt } = JSON.parse(open(sealed, `totp offer ${accountId}`));
        return now().getTime() < expiresAt ? secret : undefined;
      } catch {
        // The form was altered or belongs to another account.
        return undefined;
      }
    },
    findStep: (typed, secret, lastStep = 0) => findStep(typed, { secret, lastStep, at: now() }),
  };
}

function findStep(typed: string, { secret, lastStep, at }: { secret: string; lastStep: number; at: Date }) {
  const token = typed.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const { HOTP, Secret } = loadLibrary();
  const { algorithm, digits, period } = parameters;
  const counter = Math.floor(at.getTime() / 1000 / period);
  const checked = { token, secret: Secret.fromBase32(secret), algorithm, digits, counter, window: WINDOW };
  const delta = HOTP.validate(checked);
  return delta !== null && counter + delta > lastStep ? counter + delta : undefined;
}
