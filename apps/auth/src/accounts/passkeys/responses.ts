import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';

/** Longest credential id (WebAuthn Level 3 §7.1, step 25), as base64url. */
const MAX_ID = Math.ceil((1_023 * 4) / 3);

const base64url = z.string().regex(/^[\w-]*$/);
const credential = { id: base64url.min(1).max(MAX_ID), rawId: base64url, type: z.literal('public-key') };
const transport = z.string().regex(/^[a-z-]{1,32}$/);

const registrationSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(transport).max(16).default([]),
  }),
});

const authenticationSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.optional(),
  }),
});

const clientDataSchema = z.object({ challenge: base64url, crossOrigin: z.boolean().optional() });

/** Response of a browser, with the challenge that it claims to answer. */
export interface Claimed<Response> {
  response: Response;
  challenge: string;
}

/** Parses a response to the creation of a passkey, JSON (§5.1); `undefined` if it is none. */
export function parseRegistration(text: string): Claimed<RegistrationResponseJSON> | undefined {
  const { data } = registrationSchema.safeParse(parseJson(text));
  if (!data) return undefined;
  const { transports, ...response } = data.response;
  // The type lists known transports; unknown ones are kept (§5.8.4).
  const kept = transports as RegistrationResponseJSON['response']['transports'] & string[];
  return toClaimed({ ...data, response: { ...response, transports: kept } });
}

/** Parses a response to a sign-in, JSON (§5.1); `undefined` if it is none. */
export function parseAuthentication(text: string): Claimed<AuthenticationResponseJSON> | undefined {
  const { data } = authenticationSchema.safeParse(parseJson(text));
  if (!data) return undefined;
  const { userHandle, ...response } = data.response;
  return toClaimed({
    ...data,
    response: { ...response, ...(userHandle !== undefined && { userHandle }) },
  });
}

/** Adds the challenge in the client data (§5.8.1). Responses from frames of other origins are rejected (§13.4.9). */
function toClaimed<Response extends { response: { clientDataJSON: string } }>(
  response: Response,
): Claimed<Response & { clientExtensionResults: Record<string, never> }> | undefined {
  const text = Buffer.from(response.response.clientDataJSON, 'base64url').toString();
  const { data } = clientDataSchema.safeParse(parseJson(text));
  if (!data || data.crossOrigin === true) return undefined;
  return { response: { ...response, clientExtensionResults: {} }, challenge: data.challenge };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
