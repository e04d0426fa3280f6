import { createPublicKey, type JsonWebKey } from 'node:crypto';
import type { FieldError } from '@keydesk/server';
import { z } from 'zod';
import type { Client, ClientAuthMethod } from './client.ts';

/** Algorithms of client assertions: those of FAPI 2.0 (§5.4), and RS256 because many key services support no other. */
export const assertionAlgorithms = ['ES256', 'ES384', 'PS256', 'RS256', 'EdDSA', 'Ed25519'] as const;

/** Subset of these algorithms that FAPI 2.0 allows (§5.4.1). */
export const fapiAlgorithms = ['ES256', 'PS256', 'EdDSA', 'Ed25519'] as const;

const MAX_KEYS = 10;
const MIN_RSA_BITS = 2048;

const common = {
  kid: z.string().min(1).max(200).optional(),
  use: z.literal('sig', 'must be "sig"').optional(),
  alg: z.enum(assertionAlgorithms, `must be one of ${assertionAlgorithms.join(', ')}`).optional(),
};
// Strict, so that private members (RFC 7518 §6.2.2, §6.3.2) are rejected and never stored.
const publicJwk = z.discriminatedUnion('kty', [
  z.strictObject({
    kty: z.literal('EC'),
    crv: z.enum(['P-256', 'P-384']),
    x: z.string(),
    y: z.string(),
    ...common,
  }),
  z.strictObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), ...common }),
  z.strictObject({ kty: z.literal('RSA'), n: z.string(), e: z.string(), ...common }),
]);

/** A client's public keys (RFC 7517 §5): EC, Ed25519 or RSA of at least 2048 bits, with unique `kid`s. */
const clientJwksSchema = z.object({
  keys: z
    .array(publicJwk.refine(isUsable, 'must be a valid public key; RSA keys need at least 2048 bits'))
    .min(1, 'must contain at least one key')
    .max(MAX_KEYS, `must contain at most ${MAX_KEYS} keys`)
    .refine(
      (keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length,
      'must not contain two keys with the same kid',
    ),
});

/** Parses the key set of a client; clients that do not authenticate with it have none. */
export function readJwks(
  input: unknown,
  authMethod: ClientAuthMethod,
): { jwks: Client['jwks']; errors: readonly FieldError[] } {
  const isNeeded = authMethod === 'private_key_jwt';
  if (input === undefined && !isNeeded) return { jwks: null, errors: [] };
  if (!isNeeded) {
    const message = 'is only for clients that authenticate with private_key_jwt';
    return { jwks: null, errors: [{ field: 'jwks', code: 'unsuitable', message }] };
  }
  const parsed = clientJwksSchema.safeParse(input);
  return parsed.success
    ? { jwks: parsed.data, errors: [] }
    : { jwks: null, errors: toKeyErrors(parsed.error) };
}

/** Converts the issues of a key set to errors of the field `jwks`. */
function toKeyErrors({ issues }: z.ZodError): FieldError[] {
  return issues.map(({ path, message }) => ({
    field: ['jwks', ...path].join('.'),
    code: 'invalid_key',
    message,
  }));
}

function isUsable(jwk: z.output<typeof publicJwk>): boolean {
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    return jwk.kty !== 'RSA' || (key.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
  } catch {
    return false;
  }
}
