import { isIP } from 'node:net';

/** Relying party of WebAuthn: this server (WebAuthn Level 3 §4). */
export interface RelyingParty {
  /** RP ID: the domain of the issuer, to which passkeys are bound. */
  id: string;
  name: string;
  /** Origins whose responses are accepted. */
  origins: readonly string[];
}

interface RelyingPartyOptions {
  issuer: string;
  serviceName: string;
  relatedOrigins: readonly string[];
}

/**
 * Returns the relying party, or `undefined` if browsers have no WebAuthn at the issuer: an RP ID is a domain, not an
 * address (§5.1.3, step 8), and scripts see WebAuthn only in secure contexts (§5).
 */
export function createRelyingParty(options: RelyingPartyOptions): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(options.issuer);
  const isSecureContext = protocol === 'https:' || hostname === 'localhost';
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[');
  if (!isSecureContext || isAddress) return undefined;
  return { id: hostname, name: options.serviceName, origins: [origin, ...options.relatedOrigins] };
}
