import { type CryptoKey, exportJWK, generateKeyPair } from 'jose';
import { PrivateKeyJwt } from 'openid-client';
import type { ClientSecurity } from '../clients/client.ts';
import type { Page } from './browser.fixture.ts';
import { createRequest, type Journey, startJourney } from './people.fixture.ts';
import type { TestServer } from './test-server.fixture.ts';

/** A client's key, and the key set that the client registers. */
export interface ClientKey {
  kid: string;
  alg: string;
  key: CryptoKey;
  jwks: { keys: Record<string, unknown>[] };
}

export async function newClientKey(alg = 'ES256'): Promise<ClientKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const kid = 'key-1';
  return { kid, alg, key: privateKey, jwks: { keys: [{ ...(await exportJWK(publicKey)), kid }] } };
}

/** A user, and a web application that authenticates with its key. */
export interface KeyJourney extends Journey {
  key: ClientKey;
}

export async function startKeyJourney(
  server: TestServer,
  { alg, ...settings }: { alg?: string; security?: Partial<ClientSecurity>; scopes?: readonly string[] } = {},
): Promise<KeyJourney> {
  const key = await newClientKey(alg);
  const client = { jwks: key.jwks, ...settings };
  return { ...(await startJourney(server, { client, authentication: PrivateKeyJwt(key) })), key };
}

/** Creates an authorization request and its parameters, without sending it. */
export async function newRequest(journey: Journey) {
  const request = await createRequest(journey);
  return { request, parameters: Object.fromEntries(request.url.searchParams) };
}

/** Pushes an authorization request (RFC 9126 §2.1). */
export async function push(
  server: Pick<TestServer, 'url'>,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) {
  const body = new URLSearchParams(form);
  const response = await fetch(`${server.url}/request`, { method: 'POST', body, headers });
  const answer = (await response.json()) as { error: string; request_uri: string; expires_in: number };
  return { status: response.status, ...answer };
}

/** Reads the error code of an authorization response, from a redirect or an error page. */
export function errorIn({ status, url, html }: Page): string | null | undefined {
  return status === 0 ? url.searchParams.get('error') : /<code[^>]*>(\w+)<\/code>/.exec(html)?.[1];
}
