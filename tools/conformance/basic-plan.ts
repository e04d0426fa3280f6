import { once } from './browser.ts';
import { alias, type Surroundings, serverOf } from './plan.ts';
import type { PlanRequest } from './suite.ts';

/** Basic profile of OpenID Connect: the code flow. `plan` can select another response mode. */
export function basic(
  { deployment, browser }: Surroundings,
  client_registration: 'static_client' | 'dynamic_client',
  clients: object,
  plan = 'oidcc-basic-certification-test-plan',
): PlanRequest {
  const signedInTwice = { browser: [once(browser.allows), browser.allowsAgain] };
  return {
    plan,
    variant: { server_metadata: 'discovery', client_registration },
    configuration: {
      alias,
      server: serverOf(deployment),
      ...clients,
      browser: [browser.allows],
      override: {
        'oidcc-prompt-login': signedInTwice,
        'oidcc-max-age-1': signedInTwice,
        'oidcc-ensure-registered-redirect-uri': {
          browser: [browser.isRefused('The application sent you here with a wrong address')],
        },
      },
    },
  };
}

/** Registers the static clients of the plan. */
export async function staticClients({ deployment: { addClient }, callback }: Surroundings) {
  const web = ['--type', 'web', '--redirect-uri', callback];
  return {
    client: await addClient(...web, '--name', 'Suite 1'),
    client2: await addClient(...web, '--name', 'Suite 2'),
    client_secret_post: await addClient(...web, '--name', 'Suite 3', '--auth-method', 'client_secret_post'),
  };
}
