import { basic, staticClients } from './basic-plan.ts';
import { fapi2, fapi2Machine, fapi2Signed, overTickets, overUserinfo } from './fapi2-plan.ts';
import { backChannelLogOut, logOut, staticClient } from './log-out-plan.ts';
import { alias, certificationProfile, dynamicClients, type Plan, serverOf } from './plan.ts';

/** Plans by their names on the command line. */
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
  'form-post': {
    settings: certificationProfile,
    request: async (at) =>
      basic(at, 'static_client', await staticClients(at), 'oidcc-formpost-basic-certification-test-plan'),
  },
  'third-party-login': {
    settings: certificationProfile,
    request: ({ deployment }) => ({
      plan: 'oidcc-3rdparty-init-login-certification-test-plan',
      variant: { response_type: 'code' },
      configuration: { alias, server: serverOf(deployment), ...dynamicClients },
    }),
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
    request: (at) => fapi2(at, overUserinfo(at)),
  },
  'fapi2-api': {
    settings: {},
    request: (at) =>
      fapi2(at, {
        openid: 'plain_oauth',
        scope: 'tickets:read',
        ...overTickets(at.deployment),
      }),
  },
  'fapi2-machine': { settings: {}, request: fapi2Machine },
  'fapi2-signed': { settings: {}, request: (at) => fapi2Signed(at, 'plain_response') },
  'fapi2-signed-jarm': { settings: {}, request: (at) => fapi2Signed(at, 'jarm') },
};
