import { createJwsSigner } from '../keys/jws-signer.ts';
import type { SigningKey } from '../keys/signing-key.ts';
import { type SecurityEvent, securityEventUris } from './security-event.ts';

export interface SecurityEventTokenOptions {
  issuer: string;
  /** Published keys, current ones first. */
  keys: () => readonly SigningKey[];
  now: () => Date;
}

/** Signs security event tokens (RFC 8417). */
export type SignSecurityEvent = (event: SecurityEvent) => Promise<string>;

/**
 * Creates a signer. An event is signed at each delivery, because a stored token could outlive the key that signed it.
 * There is no `exp`, because an event stays true (RFC 8417 §2.2), and no `sub`, so that the token is never taken for
 * one about authorization (RFC 8417 §4.6).
 */
export function createSecurityEventSigner({
  issuer,
  keys,
  now,
}: SecurityEventTokenOptions): SignSecurityEvent {
  return async function signSecurityEvent({ id, receiver, type, accountId, occurredAt }) {
    const key = keys().find(({ algorithm }) => algorithm === 'ES256');
    if (!key) throw new Error('There is no ES256 key to sign security events with.');
    // RFC 8417 §2.3: the explicit type prevents confusion with other JWTs.
    const header = { alg: key.algorithm, typ: 'secevent+jwt', kid: key.kid };
    const claims = {
      iss: issuer,
      aud: receiver,
      iat: toSeconds(now()),
      jti: id,
      toe: toSeconds(occurredAt),
      // RFC 9493 §3.2.4
      sub_id: { format: 'iss_sub', iss: issuer, sub: accountId },
      events: { [securityEventUris[type]]: {} },
    };
    const input = `${encode(header)}.${encode(claims)}`;
    const signature = await createJwsSigner(key)(Buffer.from(input));
    return `${input}.${Buffer.from(signature).toString('base64url')}`;
  };
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000);
}
