import { z } from 'zod';

/** Schema of a list of origins (RFC 6454 §6.2), such as `https://example.com`. */
const originList = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .pipe(z.array(z.string().refine(isHttpsOrigin, 'must list origins, such as https://example.com')));

/** Settings of passkeys. */
export const passkeySettings = {
  webauthnRelatedOrigins: {
    env: 'WEBAUTHN_RELATED_ORIGINS',
    schema: originList.describe(
      "Other origins that may use the passkeys of this server's domain, such as `https://example.com` (WebAuthn Level 3 §5.11)",
    ),
  },
} as const;

function isHttpsOrigin(text: string): boolean {
  return text.startsWith('https://') && URL.canParse(text) && new URL(text).origin === text;
}
