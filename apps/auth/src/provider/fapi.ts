import type { Client, Configuration, JsonValue, KoaContextWithOIDC } from 'oidc-provider';
import { fapiAlgorithms } from '../clients/client-keys.ts';
import { profileOf } from './client-metadata.ts';

type Profile = (ctx: KoaContextWithOIDC, client: Client | undefined) => '2.0' | undefined;

/**
 * The FAPI 2.0 Security Profile, for the clients that are registered for it. By this the library asks for little more
 * than that requests name their redirect URI. The rest is done elsewhere: the rules of the clients domain see to
 * `private_key_jwt`, keys and https; the metadata to pushed requests and bound tokens; here are the remaining two.
 */
export const fapiFeature = {
  enabled: true,
  profile: ((_ctx, client) => (client && isFapi(client) ? '2.0' : undefined)) satisfies Profile,
} satisfies NonNullable<Configuration['features']>['fapi'];

export function isFapi(client: Client): boolean {
  return profileOf(client) === 'fapi2';
}

/** FAPI 2.0 §5.4.1: what a client of the profile may sign with. */
export function isFapiSigned({ alg }: Readonly<Record<string, JsonValue>>): boolean {
  return fapiAlgorithms.some((allowed) => allowed === alg);
}

/**
 * RFC 9700 §4.14.2: whoever comes second with a refresh token ends its family. FAPI 2.0 §5.3.2.1 no. 9 forbids that
 * for its clients, whose refresh tokens are worth nothing without their keys.
 */
export function rotatesRefreshTokens({ oidc }: KoaContextWithOIDC): boolean {
  return !(oidc.client && isFapi(oidc.client));
}
