import { domainToASCII } from 'node:url';
import { z } from 'zod';

/** RFC 5321 §4.5.3.1.3 limits a path to 256 octets, including two angle brackets. */
const MAX_LENGTH = 254;
/** At most 64 ASCII characters (RFC 5321 §4.5.3.1.1); lower-casing would turn the Kelvin sign (U+212A) into `k`. */
const localPart = /^[\x21-\x7e]{1,64}$/;
/** Characters that `domainToASCII` silently drops or decodes, or at which it ends the domain as in a URL. */
const unsafeInDomain = /[\s\p{Cc}%/?#\\]/u;
const addressSchema = z.email().max(MAX_LENGTH);

/**
 * Normalizes an address: trimmed, in lower case, its domain in ASCII (IDNA). All common mail servers ignore case, and
 * two accounts of one mailbox would confuse their owner. Returns `undefined` unless the text is the address of a single
 * mailbox; it cannot contain a line break, a comma or a comment.
 */
export function parseEmail(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return undefined;
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(at, 0));
  const domain = trimmed.slice(at + 1);
  if (!localPart.test(local) || unsafeInDomain.test(domain)) return undefined;
  const email = `${local}@${domainToASCII(domain)}`.toLowerCase();
  return addressSchema.safeParse(email).success ? email : undefined;
}
