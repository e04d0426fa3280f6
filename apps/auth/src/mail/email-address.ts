import { domainToASCII } from 'node:url';
import { z } from 'zod';

/** RFC 5321 §4.5.3.1.3: a path is 256 octets, two of them its angle brackets. */
const MAX_LENGTH = 254;
/** Of at most 64 characters (RFC 5321 §4.5.3.1.1), all ASCII: the Kelvin sign (U+212A) would become a `k`. */
const localPart = /^[\x21-\x7e]{1,64}$/;
/** What `domainToASCII` would silently drop or decode, and where it would end the domain, as that of a URL. */
const stray = /[\s\p{Cc}%/?#\\]/u;
const addressSchema = z.email().max(MAX_LENGTH);

/**
 * The one form in which an address is stored, compared and written to: trimmed, in lower case, its domain in ASCII
 * (IDNA). Every mailbox that matters ignores case, and two accounts on one mailbox would be one person's trap.
 * `undefined` when it is no address of one mailbox: nothing that carries a line break, a comma or a comment passes.
 */
export function parseEmail(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return undefined;
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(at, 0));
  const domain = trimmed.slice(at + 1);
  if (!localPart.test(local) || stray.test(domain)) return undefined;
  const email = `${local}@${domainToASCII(domain)}`.toLowerCase();
  return addressSchema.safeParse(email).success ? email : undefined;
}
