import type { Client, Configuration, JsonValue, KoaContextWithOIDC } from 'oidc-provider';
import { fapiAlgorithms } from '../../clients/client-keys.ts';
import { profileOf } from '../clients/client-metadata.ts';

type Profile = (ctx: KoaContextWithOIDC, client: Client | undefined) => '2.0' | undefined;

/**
 * The FAPI 2.0 Security Profile of clients that are registered for it. In oidc-provider it mainly requires a redirect
 * URI in each request. The client rules enforce `private_key_jwt`, keys and https; the client metadata enforces pushed
 * requests and sender-constrained tokens; the two remaining rules are below.
 */
export const fapiFeature = {
  enabled: true,
  profile: ((_ctx, client) => (client && isFapi(client) ? '2.0' : undefined)) satisfies Profile,
} satisfies NonNullable<Configuration['features']>['fapi'];

export function isFapi(client: Client): boolean {
  return profileOf(client) === 'fapi2';
}

/** Whether a client of the profile may sign with this algorithm (FAPI 2.0 §5.4.1). */
export function hasFapiAlgorithm({ alg }: Readonly<Record<string, JsonValue>>): boolean {
  return fapiAlgorithms.some((allowed) => allowed === alg);
}

/**
 * Whether refresh tokens are rotated. A second use of a rotated token revokes its family (RFC 9700 §4.14.2). FAPI 2.0
 * §5.3.2.1 no. 9 forbids rotation, because a refresh token is useless without the client's key.
 */
export function rotatesRefreshTokens({ oidc }: KoaContextWithOIDC): boolean {
  return !(oidc.client && isFapi(oidc.client));
}
