import type { Samples } from '../samples.fixture.ts';

const fields = { code: 'Ug1K0Xf3qg', state: 'af0ifjsldkj', iss: 'https://auth.example.com' };
const error = 'error=invalid_scope&state=af0ifjsldkj&iss=https%3A%2F%2Fauth.example.com';
const stranger = { name: 'Donaudampfschifffahrtsgesellschaftskundendienst Außenstelle Regensburg & Söhne' };

export const responseSamples = {
  renderFormPost: {
    'form-post': {
      application: { name: 'Printshop Status' },
      response: { action: 'https://printshop.example/signin-oidc', fields },
    },
  },
  renderLeave: {
    'leave-refused': {
      application: { name: 'Printshop Status' },
      reason: 'request_refused',
      destination: 'https://printshop.example/callback',
      goOn: { href: `https://printshop.example/callback?${error}` },
      oauth: { error: 'invalid_scope', description: 'requested scope is not allowed' },
      links: { stay: '/account' },
    },
    'leave-to-app': {
      application: stranger,
      reason: 'cancelled',
      destination: 'com.donaudampfschifffahrtsgesellschaft.kundendienst:/oauth/callback',
      goOn: { href: `com.donaudampfschifffahrtsgesellschaft.kundendienst:/oauth/callback?${error}` },
      oauth: { error: 'access_denied' },
      links: { stay: '/account' },
    },
    'leave-failed': {
      application: stranger,
      reason: 'failed',
      destination:
        'https://a-rather-long-subdomain.of-a-long-company-name.example.co.uk/callback/of/an/earlier/version',
      goOn: {
        action:
          'https://a-rather-long-subdomain.of-a-long-company-name.example.co.uk/callback/of/an/earlier/version',
        fields: { error: 'server_error', state: 'af0ifjsldkj' },
      },
      oauth: { error: 'server_error' },
      links: { stay: '/account' },
    },
    'leave-signed-out': {
      application: { name: 'Printshop Status' },
      reason: 'signed_out',
      destination: 'https://printshop.example/bye',
      goOn: { href: 'https://printshop.example/bye?state=af0ifjsldkj' },
      links: { stay: '/session/end/success' },
    },
  },
} satisfies Partial<Samples>;
