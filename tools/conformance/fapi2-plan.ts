import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import { once } from './browser.ts';
import type { Deployment } from './deployment.ts';
import { alias, type Surroundings, serverOf } from './plan.ts';
import type { PlanRequest } from './suite.ts';

/** Tokens that a plan requests, and a resource that accepts them. */
interface Target {
  openid: 'openid_connect' | 'plain_oauth';
  scope: string;
  /** URL that responds 200 to these tokens. */
  resourceUrl: string;
}

/** Prefix of module names in both plans. */
const securityProfile = 'fapi2-security-profile-final';
const variant = {
  client_auth_type: 'private_key_jwt',
  sender_constrain: 'dpop',
  fapi_profile: 'plain_fapi',
  authorization_request_type: 'simple',
};

/** FAPI 2.0 Security Profile with `private_key_jwt` and DPoP. */
export async function fapi2(at: Surroundings, target: Target): Promise<PlanRequest> {
  return {
    plan: `${securityProfile}-test-plan`,
    variant: { ...variant, openid: target.openid },
    configuration: await configure(at, target),
  };
}

/** FAPI 2.0 Message Signing: signed authorization requests, and signed responses for `jarm`. */
export async function fapi2Signed(
  at: Surroundings,
  fapi_response_mode: 'plain_response' | 'jarm',
): Promise<PlanRequest> {
  const target = overUserinfo(at);
  return {
    plan: 'fapi2-message-signing-final-test-plan',
    variant: {
      ...variant,
      openid: target.openid,
      fapi_request_method: 'signed_non_repudiation',
      fapi_response_mode,
    },
    configuration: await configure(at, target, [
      '--require-signed-request-object',
      ...['--authorization-response-alg', 'PS256'],
    ]),
  };
}

/** FAPI 2.0 Security Profile with the client credentials grant. */
export async function fapi2Machine({ deployment }: Surroundings): Promise<PlanRequest> {
  const machine = async () => ({
    ...(await addClient(deployment, ['--type', 'machine', '--role', 'agent'])),
    scope: 'tickets:read',
  });
  return {
    plan: `${securityProfile}-test-plan`,
    variant: { ...variant, openid: 'plain_oauth', fapi_profile: 'fapi_client_credentials_grant' },
    configuration: {
      alias,
      server: serverOf(deployment),
      client: await machine(),
      client2: await machine(),
      resource: overTickets(deployment),
    },
  };
}

/** Target with the userinfo endpoint as resource, where one module reads claims. */
export function overUserinfo({ deployment }: Surroundings): Target {
  return {
    openid: 'openid_connect',
    scope: 'openid profile email',
    resourceUrl: `${deployment.issuer}/me`,
  };
}

export function overTickets({ api }: Deployment): { resourceUrl: string } {
  return { resourceUrl: `${api}/tickets.json` };
}

async function configure(at: Surroundings, target: Target, options: readonly string[] = []) {
  const { deployment, browser, callback } = at;
  const add = async (...uris: readonly string[]) => ({
    ...(await addClient(deployment, [
      ...['--type', 'web', ...options],
      ...uris.flatMap((uri) => ['--redirect-uri', uri]),
    ])),
    scope: `${target.scope} offline_access`,
  });
  return {
    alias,
    server: serverOf(deployment),
    client: await add(callback),
    client2: await add(callback, `${callback}?dummy1=lorem&dummy2=ipsum`),
    resource: { resourceUrl: target.resourceUrl },
    browser: [browser.allows],
    override: {
      [`${securityProfile}-user-rejects-authentication`]: { browser: [browser.cancels] },
      [`${securityProfile}-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds`]: {
        browser: [once(browser.looksAway), browser.allows],
      },
    },
  };
}

/** Registers a client with a public key; the suite receives the private key. */
async function addClient(deployment: Deployment, options: readonly string[]) {
  const alg = 'PS256';
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const [kid, use] = [randomUUID(), 'sig'];
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid, use, alg }] };
  const { client_id } = await deployment.addClient(
    ...['--profile', 'fapi2', '--name', 'Suite', '--scope', 'tickets:read', ...options],
    ...['--jwks', deployment.writeFile(`${kid}.json`, jwks)],
  );
  return { client_id, jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, use, alg }] } };
}
