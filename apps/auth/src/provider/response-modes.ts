import type Provider from 'oidc-provider';
import type { Client } from 'oidc-provider';

/**
 * Codes come in the query alone. Types with a token are let through, for the library to refuse them next, by their own
 * name and in the fragment, where those who ask for one look (RFC 6749 §4.2.2.1); it looks at the mode before the type.
 */
export function answerByQuery(provider: Provider): void {
  const allowed: Client['responseModeAllowed'] = (mode, type) =>
    // Without a type there is no mode, and the library says next what is missing.
    mode === undefined || mode === 'query' || type?.includes('token');
  provider.Client.prototype.responseModeAllowed = allowed;
}
