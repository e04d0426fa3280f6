import type { ApplicationType, ClientAuthMethod } from '../../clients/client.ts';
import { isApiScope } from '../../values/scopes.ts';
import type { PublicKey, SnippetServer } from '../views/applications.ts';

/** Members of an application that its snippets depend on. */
export interface SnippetApplication {
  id: string;
  type: ApplicationType;
  authMethod: ClientAuthMethod;
  redirectUris: readonly string[];
  scopes: readonly string[];
  keys?: readonly PublicKey[] | undefined;
  /** Whether its requests must be pushed, signed or bound to a key. */
  isHardened?: boolean | undefined;
}

/** Application that signs users in, with the redirect URI of its snippet. */
export type UserApplication = SnippetApplication & { redirectUri: string };

export function mayReadTickets({ scopes }: SnippetApplication): boolean {
  return scopes.includes('tickets:read');
}

/** Whether its tokens are for the userinfo endpoint, not for the API. */
export function isAboutPeopleOnly({ scopes }: SnippetApplication): boolean {
  return scopes.includes('openid') && !scopes.some(isApiScope);
}

/** Returns the URL at which the snippet uses the token, if any. */
export function resourceOf(application: SnippetApplication, server: SnippetServer): string | undefined {
  if (isAboutPeopleOnly(application)) return server.userinfoEndpoint;
  return mayReadTickets(application) ? server.exampleUrl : undefined;
}

export function usesSecret({ authMethod }: SnippetApplication): boolean {
  return authMethod.startsWith('client_secret_');
}

/** Returns the first key of an application that signs its client assertions (RFC 7523 §3), with the algorithm. */
export function signingKeyOf({
  authMethod,
  keys = [],
}: SnippetApplication): { alg: string; kid: string | undefined } | undefined {
  const [key] = keys;
  if (authMethod !== 'private_key_jwt' || !key) return undefined;
  const usual = key.kty === 'RSA' ? 'PS256' : key.kty === 'OKP' ? 'EdDSA' : 'ES256';
  return { alg: key.alg ?? (key.crv === 'P-384' ? 'ES384' : usual), kid: key.kid };
}

/** RFC 7523 §2.2 */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Formats a string literal that Python, Go, Java, Swift and YAML accept. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
