import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import { once } from './browser.ts';
import type { Deployment } from './deployment.ts';
import { alias, type Surroundings, serverOf } from './plan.ts';
import type { PlanRequest } from './suite.ts';

/** What tokens the plan is run with. */
interface Target {
  openid: 'openid_connect' | 'plain_oauth';
  scope: string;
  /** Answers 200 to them. */
  resourceUrl: string;
}

/** The FAPI 2.0 Security Profile, by `private_key_jwt` and DPoP. */
export async function fapi2(at: Surroundings, { openid, scope, resourceUrl }: Target): Promise<PlanRequest> {
  const { deployment, browser, callback } = at;
  const ofFapi = { scope: `${scope} offline_access` };
  const test = (name: string) => `fapi2-security-profile-final-${name}`;
  return {
    plan: 'fapi2-security-profile-final-test-plan',
    variant: {
      client_auth_type: 'private_key_jwt',
      sender_constrain: 'dpop',
      openid,
      fapi_profile: 'plain_fapi',
      authorization_request_type: 'simple',
    },
    configuration: {
      alias,
      server: serverOf(deployment),
      client: { ...(await addClient(deployment, callback)), ...ofFapi },
      client2: {
        ...(await addClient(deployment, callback, `${callback}?dummy1=lorem&dummy2=ipsum`)),
        ...ofFapi,
      },
      resource: { resourceUrl },
      browser: [browser.allows],
      override: {
        [test('user-rejects-authentication')]: { browser: [browser.cancels] },
        [test('par-ensure-reused-request-uri-prior-to-auth-completion-succeeds')]: {
          browser: [once(browser.looksAway), browser.allows],
        },
      },
    },
  };
}

/** Registers a client with the public half of a key; the suite gets the private one. */
async function addClient(deployment: Deployment, ...redirectUris: readonly string[]) {
  const alg = 'PS256';
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const [kid, use] = [randomUUID(), 'sig'];
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid, use, alg }] };
  const { client_id } = await deployment.addClient(
    ...['--type', 'web', '--profile', 'fapi2', '--name', 'Suite', '--scope', 'tickets:read'],
    ...['--jwks', deployment.writeFile(`${kid}.json`, jwks)],
    ...redirectUris.flatMap((uri) => ['--redirect-uri', uri]),
  );
  return { client_id, jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, use, alg }] } };
}
