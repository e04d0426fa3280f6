import { english } from '../../apps/auth/src/pages/messages/english-problems.ts';
import { alias, dynamicClients, type Surroundings, serverOf } from './plan.ts';
import type { PlanRequest } from './suite.ts';

/** OpenID Connect RP-Initiated Logout. */
export function logOut(
  { deployment, browser }: Surroundings,
  client_registration: 'static_client' | 'dynamic_client',
  clients: object,
): PlanRequest {
  const loggedOut = { browser: [browser.allows, browser.isLoggedOut('You are signed out')] };
  const refused = (words: string) => ({ browser: [browser.allows, browser.isRefusedLogOut(words)] });
  const faulty = refused('The application asked for something that does not work');
  const ofStranger = refused(english['error.unknown_client.title']);
  return {
    plan: 'oidcc-rp-initiated-logout-certification-test-plan',
    variant: { response_type: 'code', client_registration },
    configuration: {
      alias,
      server: serverOf(deployment),
      ...clients,
      browser: [browser.allows, browser.logsOut],
      override: {
        'oidcc-rp-initiated-logout-no-params': loggedOut,
        'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': loggedOut,
        'oidcc-rp-initiated-logout-only-state': loggedOut,
        'oidcc-rp-initiated-logout-no-id-token-hint': loggedOut,
        'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': faulty,
        'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': faulty,
        'oidcc-rp-initiated-logout-modified-id-token-hint': faulty,
        'oidcc-rp-initiated-logout-bad-id-token-hint': ofStranger,
      },
    },
  };
}

/** RP-Initiated Logout with notifications of clients (OpenID Connect Back-Channel Logout). */
export function backChannelLogOut({ deployment, browser }: Surroundings): PlanRequest {
  return {
    plan: 'oidcc-backchannel-rp-initiated-logout-certification-test-plan',
    variant: { response_type: 'code', client_registration: 'dynamic_client' },
    configuration: {
      alias,
      server: serverOf(deployment),
      ...dynamicClients,
      browser: [browser.allows, browser.logsOut],
    },
  };
}

/** Registers the static client of the plan. */
export async function staticClient({ deployment, callback, loggedOut }: Surroundings) {
  const client = await deployment.addClient(
    ...['--type', 'web', '--name', 'Suite'],
    ...['--redirect-uri', callback, '--post-logout-redirect-uri', loggedOut],
  );
  return { client };
}
