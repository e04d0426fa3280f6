import { basic, staticClients } from './basic-plan.ts';
import { fapi2 } from './fapi2-plan.ts';
import { backChannelLogOut, logOut, staticClient } from './log-out-plan.ts';
import { certificationProfile, dynamicClients, type Plan, serverOf } from './plan.ts';

/** The plans by the names that the command line knows them by. */
export const plans: Readonly<Record<string, Plan>> = {
  config: {
    settings: certificationProfile,
    request: ({ deployment }) => ({
      plan: 'oidcc-config-certification-test-plan',
      variant: {},
      configuration: { server: serverOf(deployment) },
    }),
  },
  'basic-static': {
    settings: certificationProfile,
    request: async (at) => basic(at, 'static_client', await staticClients(at)),
  },
  'basic-dynamic': {
    settings: certificationProfile,
    request: (at) => basic(at, 'dynamic_client', dynamicClients),
  },
  'log-out-static': {
    settings: certificationProfile,
    request: async (at) => logOut(at, 'static_client', await staticClient(at)),
  },
  'log-out-dynamic': {
    settings: certificationProfile,
    request: (at) => logOut(at, 'dynamic_client', dynamicClients),
  },
  'log-out-back-channel': { settings: certificationProfile, request: backChannelLogOut },
  fapi2: {
    settings: {},
    request: (at) =>
      fapi2(at, {
        openid: 'openid_connect',
        scope: 'openid profile email',
        resourceUrl: `${at.deployment.issuer}/me`,
      }),
  },
  'fapi2-api': {
    settings: {},
    request: (at) =>
      fapi2(at, {
        openid: 'plain_oauth',
        scope: 'tickets:read',
        resourceUrl: `${at.deployment.api}/tickets.json`,
      }),
  },
};
